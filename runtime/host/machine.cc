#include "runtime/host/machine.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace plumbline::runtime {
namespace {

// Orders what one thread did before it against what another does after it.
constexpr auto handOver = std::memory_order_acq_rel;

} // namespace

Machine::Machine(const Plan &plan, Effects &effects, Remote *remote)
    : plan_(plan), effects_(effects), remote_(remote), steps_(plan.steps.size()), joined_(plan.collectives.size()),
      tied_(plan.componentSteps.size()), tiedMessages_(plan.componentSteps.size()), missing_(plan.meetings.size()) {
  std::uint32_t messages = 0;
  for (const Channel &channel : plan.channels) {
    firstMeet_.push_back(messages);
    const std::uint32_t count = std::max(channel.sends, channel.receives);
    messages += count;
    buffered_.push_back(channel.buffered ? std::make_unique<BufferedChannel>() : nullptr);
    if (channel.buffered)
      buffered_.back()->messages.resize(count);
  }
  meets_ = std::vector<Meet>(messages);
  if (!tied_.empty())
    for (InstructionIndex i = 0; i < plan.ports.size(); ++i)
      if (plan.ports[i].channel != none)
        tiedMessages_[plan.steps[plan.stepOf[i]].component].push_back(i);
  reset();
}

void Machine::reset() {
  constexpr auto relaxed = std::memory_order_relaxed;
  for (StepIndex s = 0; s < steps_.size(); ++s) {
    steps_[s].waiting.store(plan_.steps[s].prerequisites, relaxed);
    steps_[s].left.store(std::max(plan_.steps[s].members, 1U), relaxed);
    steps_[s].begun.store(false, relaxed);
  }
  for (Meet &meet : meets_)
    meet.store(none, relaxed);
  for (const auto &channel : buffered_)
    if (channel)
      std::fill(channel->messages.begin(), channel->messages.end(), BufferedMessage());
  for (auto &count : joined_)
    count.store(0, relaxed);
  for (auto &count : tied_)
    count.store(0, relaxed);
  for (std::size_t m = 0; m < missing_.size(); ++m) // itself, and the others; one that never comes stays missing
    missing_[m].store(static_cast<std::uint32_t>(plan_.meetings[m].others.size()) + 1, relaxed);
}

void Machine::start(std::int32_t rank, Agenda &agenda) const {
  const auto r = static_cast<std::size_t>(rank);
  for (StepIndex s = plan_.rankSteps[r]; s < plan_.rankSteps[r + 1]; ++s)
    if (plan_.steps[s].prerequisites == 0)
      agenda.push_back({Event::Kind::begin, s});
}

void Machine::happen(Event event, Agenda &agenda) {
  if (event.kind == Event::Kind::begin)
    begin(event.index, agenda);
  else
    complete(event.index, agenda);
}

bool Machine::finished() const {
  for (StepIndex s = 0; s < steps_.size(); ++s)
    if (!ended(s))
      return false;
  return true;
}

bool Machine::finished(std::int32_t rank) const {
  const auto r = static_cast<std::size_t>(rank);
  // Most often the last one is what is missing.
  for (StepIndex s = plan_.rankSteps[r + 1]; s-- > plan_.rankSteps[r];)
    if (steps_[s].left.load(std::memory_order_acquire) != 0)
      return false;
  return true;
}

void Machine::begin(StepIndex index, Agenda &agenda) {
  const Step &step = plan_.steps[index];
  steps_[index].begun.store(true, std::memory_order_relaxed);
  if (step.members == 0) {
    meet(index, agenda);
    return;
  }
  // All members begin at this moment, so all are in use before the first of them moves.
  for (InstructionIndex i = step.first; i < step.first + step.members; ++i)
    effects_.began(i);
  for (InstructionIndex i = step.first; i < step.first + step.members; ++i)
    if (remote_ && needsOthers(plan_.instruction(i)))
      remote_->post(i);
    else if (plan_.collectiveOf[i] != none)
      join(i, agenda);
    else if (plan_.ports[i].channel == none)
      agenda.push_back({Event::Kind::complete, i});
    else if (plan_.ports[i].ending != Ending::atomic)
      post(i, agenda);
  if (step.component != none && step.communicates)
    tie(step.component, agenda);
}

void Machine::post(InstructionIndex instruction, Agenda &agenda) {
  const Port &port = plan_.ports[instruction];
  if (buffered_[port.channel]) {
    postBuffered(instruction, agenda);
    return;
  }
  const InstructionIndex other = meets_[firstMeet_[port.channel] + port.index].exchange(instruction, handOver);
  if (other == none)
    return;
  const bool sends = isSend(plan_.instruction(instruction).opcode);
  effects_.transfer(sends ? instruction : other, sends ? other : instruction);
  agenda.push_back({Event::Kind::complete, instruction});
  agenda.push_back({Event::Kind::complete, other});
}

// A channel with room is a what-if, so its copies may well be made under its lock.
void Machine::postBuffered(InstructionIndex instruction, Agenda &agenda) {
  const Port &port = plan_.ports[instruction];
  BufferedChannel &channel = *buffered_[port.channel];
  const std::scoped_lock lock(channel.mutex);
  BufferedMessage &message = channel.messages[port.index];
  (isSend(plan_.instruction(instruction).opcode) ? message.send : message.receive) = instruction;
  if (message.send != none && message.receive != none && !message.arrived) {
    if (message.kept)
      effects_.deliver(message.send, message.receive);
    else
      effects_.transfer(message.send, message.receive);
    message.arrived = true;
    agenda.push_back({Event::Kind::complete, message.receive});
  }
  if (message.send != none && trySend(channel, message))
    agenda.push_back({Event::Kind::complete, message.send});
}

// True if the send may end now; then what it sends is safe, at the receiver or in a copy.
bool Machine::trySend(BufferedChannel &channel, BufferedMessage &message) {
  if (message.sent)
    return false;
  const Port &port = plan_.ports[message.send];
  const bool mayEnd = port.ending == Ending::free || (port.ending == Ending::rendezvous && message.arrived) ||
                      (port.ending == Ending::room && channel.messages[port.roomAfter].received);
  if (!mayEnd)
    return false;
  if (!message.arrived) {
    effects_.keep(message.send);
    message.kept = true;
  }
  message.sent = true;
  return true;
}

void Machine::freeRoom(InstructionIndex receive, Agenda &agenda) {
  const Port &port = plan_.ports[receive];
  BufferedChannel &channel = *buffered_[port.channel];
  const std::scoped_lock lock(channel.mutex);
  channel.messages[port.index].received = true;
  for (BufferedMessage &message : llvm::drop_begin(channel.messages, port.index + 1))
    if (message.send == none)
      break; // those behind it have not begun either
    else if (trySend(channel, message))
      agenda.push_back({Event::Kind::complete, message.send});
}

void Machine::join(InstructionIndex instruction, Agenda &agenda) {
  const Collective &collective = plan_.collectives[plan_.collectiveOf[instruction]];
  if (joined_[plan_.collectiveOf[instruction]].fetch_add(1, handOver) + 1 < collective.expected)
    return;
  effects_.carryOut(collective);
  for (const InstructionIndex member : collective.members)
    agenda.push_back({Event::Kind::complete, member});
}

// Nothing of tied launches moves before all of them have begun; then all of it does.
void Machine::tie(std::uint32_t component, Agenda &agenda) {
  if (tied_[component].fetch_add(1, handOver) + 1 != plan_.componentSteps[component])
    return;
  for (const InstructionIndex i : tiedMessages_[component]) {
    const Port &port = plan_.ports[i];
    const InstructionIndex other = meets_[firstMeet_[port.channel] + port.index].exchange(i, handOver);
    if (other == none)
      continue;
    const bool sends = isSend(plan_.instruction(i).opcode);
    effects_.transfer(sends ? i : other, sends ? other : i);
  }
  for (const InstructionIndex i : tiedMessages_[component])
    agenda.push_back({Event::Kind::complete, i});
}

void Machine::meet(StepIndex step, Agenda &agenda) {
  const std::uint32_t own = plan_.meetingOf[step];
  for (const StepIndex other : plan_.meetings[own].others)
    if (other != none)
      endMeeting(plan_.meetingOf[other], agenda);
  endMeeting(own, agenda);
}

void Machine::endMeeting(std::uint32_t meeting, Agenda &agenda) {
  if (missing_[meeting].fetch_sub(1, handOver) > 1)
    return;
  const StepIndex step = plan_.meetings[meeting].step;
  steps_[step].left.store(0, std::memory_order_relaxed);
  end(step, agenda);
}

void Machine::complete(InstructionIndex instruction, Agenda &agenda) {
  effects_.completed(instruction);
  const Port &port = plan_.ports[instruction];
  if (port.channel != none && buffered_[port.channel] && isReceive(plan_.instruction(instruction).opcode))
    freeRoom(instruction, agenda);
  const StepIndex step = plan_.stepOf[instruction];
  if (steps_[step].left.fetch_sub(1, handOver) == 1)
    end(step, agenda);
}

void Machine::end(StepIndex step, Agenda &agenda) {
  for (const StepIndex follower : plan_.followersOfStep(step))
    if (steps_[follower].waiting.fetch_sub(1, handOver) == 1)
      agenda.push_back({Event::Kind::begin, follower});
}

} // namespace plumbline::runtime
