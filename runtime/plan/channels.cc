#include "runtime/plan/builder.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

namespace plumbline::runtime {
namespace {

using ChannelKey = std::pair<std::int32_t, std::pair<std::int32_t, std::int32_t>>; // source, destination, communicator

ChannelKey keyOf(const Instruction &i) {
  const std::int32_t own = i.rank.value(), other = i.peer.value();
  return isSend(i.opcode) ? ChannelKey{own, {other, i.communicator.value()}}
                          : ChannelKey{other, {own, i.communicator.value()}};
}

// How the sends of one channel end, taken in order.
class RoomOfChannel {
public:
  RoomOfChannel(const Plan &plan, const Channel &channel) : options_(plan.options) {
    const std::int32_t own = plan.program->communicators[static_cast<std::size_t>(channel.communicator.value())].room;
    room_ = static_cast<std::uint32_t>(std::max(0, own >= 0 ? own : options_.room));
  }

  // Of the next send, of so many bytes (0: unknown).
  void setEnding(Port &port, std::uint64_t bytes) {
    if (options_.roomBytes >= 0) {
      const auto limit = static_cast<std::uint64_t>(options_.roomBytes);
      const bool fits = bytes > 0 && bytes <= limit;
      sizes_.push_back(fits ? bytes : UINT64_MAX);
      if (fits && options_.kind == model::Kind::mpi) // eager: leaves by itself
        port.ending = Ending::free;
      else if (fits)
        fitBehind(port, limit);
      return;
    }
    if (room_ == 0)
      return;
    port.ending = port.index < room_ ? Ending::free : Ending::room;
    port.roomAfter = port.index < room_ ? 0 : port.index - room_;
  }

private:
  // The buffer holds this message and as many before it as fit in.
  void fitBehind(Port &port, std::uint64_t limit) {
    std::uint64_t left = limit - sizes_.back();
    std::size_t before = sizes_.size() - 1;
    while (before > 0 && sizes_[before - 1] <= left)
      left -= sizes_[--before];
    port.ending = before == 0 ? Ending::free : Ending::room;
    port.roomAfter = before == 0 ? 0 : static_cast<std::uint32_t>(before - 1);
  }

  const model::Options &options_;
  std::uint32_t room_ = 0;
  std::vector<std::uint64_t> sizes_; // of the sends so far; those that never fit count as endless
};

} // namespace

void openChannels(Plan &plan) {
  const Program &program = *plan.program;
  const bool atomic = plan.options.grouping == model::Grouping::atomic;
  plan.ports.resize(program.instructions.size());
  llvm::DenseMap<ChannelKey, std::uint32_t> numbers;
  std::vector<RoomOfChannel> rooms;
  for (const auto &[index, i] : llvm::enumerate(program.instructions)) {
    if (!isPointToPoint(i.opcode))
      continue;
    const ChannelKey key = keyOf(i);
    const auto [entry, isNew] = numbers.try_emplace(key, static_cast<std::uint32_t>(plan.channels.size()));
    if (isNew) {
      plan.channels.push_back({key.first, key.second.first, i.communicator, 0, 0, false});
      rooms.emplace_back(plan, plan.channels.back());
    }
    Channel &channel = plan.channels[entry->second];
    Port &port = plan.ports[index];
    port.channel = entry->second;
    port.index = isSend(i.opcode) ? channel.sends++ : channel.receives++;
    if (atomic)
      port.ending = Ending::atomic;
    else if (isSend(i.opcode))
      rooms[entry->second].setEnding(port, i.bytes);
    channel.buffered |= port.ending == Ending::free || port.ending == Ending::room;
  }
}

void gatherCollectives(Plan &plan, std::string &wrong) {
  const Program &program = *plan.program;
  plan.collectiveOf.assign(program.instructions.size(), none);
  std::map<std::pair<std::int32_t, std::uint32_t>, std::uint32_t> numbers; // communicator and position
  std::map<std::pair<std::int32_t, std::int32_t>, std::uint32_t> issued;   // by communicator and rank
  for (const auto &[index, i] : llvm::enumerate(program.instructions)) {
    if (!isCollective(i))
      continue;
    const Communicator &communicator = program.communicators[static_cast<std::size_t>(i.communicator.value())];
    if (!communicator.members.empty() && !llvm::is_contained(communicator.members, i.rank))
      wrong = "rank " + std::to_string(i.rank.value()) + " takes part in a collective of communicator '" +
              communicator.name + "', of which it is no member";
    const std::uint32_t position = issued[{i.communicator.value(), i.rank.value()}]++;
    const auto [entry, isNew] =
        numbers.try_emplace({i.communicator.value(), position}, static_cast<std::uint32_t>(plan.collectives.size()));
    if (isNew)
      plan.collectives.push_back(
          {i.communicator,
           static_cast<std::uint32_t>(communicator.members.empty() ? static_cast<std::size_t>(program.rankCount())
                                                                   : communicator.members.size()),
           {}});
    plan.collectiveOf[index] = entry->second;
    plan.collectives[entry->second].members.push_back(static_cast<InstructionIndex>(index));
  }
}

void tieLaunches(Plan &plan) {
  const auto stepCount = static_cast<std::uint32_t>(plan.steps.size());
  llvm::IntEqClasses tied(stepCount);
  std::map<std::pair<std::uint32_t, std::uint32_t>, StepIndex> lonely; // channel and index: step of the end seen so far
  const auto &instructions = plan.program->instructions;
  for (InstructionIndex i = 0; i < instructions.size(); ++i) {
    if (!isPointToPoint(instructions[i].opcode))
      continue;
    const auto [entry, isNew] = lonely.try_emplace({plan.ports[i].channel, plan.ports[i].index}, plan.stepOf[i]);
    if (isNew)
      continue;
    tied.join(entry->second, plan.stepOf[i]);
    lonely.erase(entry);
  }
  tied.compress();
  plan.componentSteps.assign(tied.getNumClasses(), 0);
  for (StepIndex s = 0; s < stepCount; ++s) {
    plan.steps[s].component = tied[s];
    ++plan.componentSteps[tied[s]];
  }
  for (const auto &[end, step] : lonely)
    plan.componentSteps[tied[step]] = none;
}

} // namespace plumbline::runtime
