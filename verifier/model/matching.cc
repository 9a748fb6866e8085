#include "verifier/model/matching.h"

#include "verifier/model/units.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <map>
#include <tuple>

namespace plumbline::model {
namespace {

struct ChannelKey {
  std::int32_t source, destination, communicator;
};

ChannelKey keyOf(const Instruction &i) {
  if (isSend(i.opcode))
    return {i.rank.value(), i.peer.value(), i.communicator.value()};
  return {i.peer.value(), i.rank.value(), i.communicator.value()};
}

// Numbers the channels in order of first appearance and counts their ends.
void findChannels(const Program &program, Matching &result) {
  llvm::DenseMap<std::pair<std::int32_t, std::pair<std::int32_t, std::int32_t>>, std::uint32_t> numbers;
  for (const auto &[index, i] : llvm::enumerate(program.instructions)) {
    if (!isPointToPoint(i.opcode))
      continue;
    const ChannelKey key = keyOf(i);
    const auto [entry, isNew] = numbers.try_emplace({key.source, {key.destination, key.communicator}},
                                                    static_cast<std::uint32_t>(result.channels.size()));
    if (isNew) {
      Channel channel;
      channel.source = RankId(key.source);
      channel.destination = RankId(key.destination);
      channel.communicator = CommunicatorId(key.communicator);
      result.channels.push_back(channel);
    }
    result.channelOf[index] = entry->second;
    Channel &channel = result.channels[entry->second];
    result.indexInChannel[index] = isSend(i.opcode) ? channel.sendCount++ : channel.receiveCount++;
  }
}

void placeEnds(const Program &program, Matching &result) {
  std::uint32_t sends = 0, receives = 0;
  for (Channel &channel : result.channels) {
    channel.firstSend = sends;
    channel.firstReceive = receives;
    sends += channel.sendCount;
    receives += channel.receiveCount;
  }
  result.channelSends.resize(sends);
  result.channelReceives.resize(receives);
  for (const auto &[index, i] : llvm::enumerate(program.instructions)) {
    if (!isPointToPoint(i.opcode))
      continue;
    const Channel &channel = result.channels[result.channelOf[index]];
    const std::uint32_t n = result.indexInChannel[index];
    (isSend(i.opcode) ? result.channelSends[channel.firstSend + n] : result.channelReceives[channel.firstReceive + n]) =
        InstructionId(static_cast<std::int32_t>(index));
  }
}

void pairEnds(Matching &result) {
  for (const Channel &channel : result.channels)
    for (std::uint32_t n = 0; n < std::min(channel.sendCount, channel.receiveCount); ++n) {
      const InstructionId send = result.channelSends[channel.firstSend + n];
      const InstructionId receive = result.channelReceives[channel.firstReceive + n];
      result.partner[static_cast<std::size_t>(send.value())] = receive;
      result.partner[static_cast<std::size_t>(receive.value())] = send;
    }
}

void matchCollectives(const Program &program, Matching &result) {
  // Per communicator and rank, the collectives in issue order.
  std::map<std::int32_t, std::map<std::int32_t, std::vector<InstructionId>>> issued;
  for (const auto &[index, i] : llvm::enumerate(program.instructions))
    if (isCollective(i))
      issued[i.communicator.value()][i.rank.value()].push_back(InstructionId(static_cast<std::int32_t>(index)));
  for (auto &[communicator, byRank] : issued) {
    // A member that never issues one is still waited for. No members named: every rank is one.
    const auto &members = program.communicators[static_cast<std::size_t>(communicator)].members;
    for (const RankId member : members)
      byRank[member.value()];
    for (std::int32_t rank = 0; members.empty() && rank < program.rankCount(); ++rank)
      byRank[rank];
    std::size_t count = 0;
    for (const auto &[rank, list] : byRank)
      count = std::max(count, list.size());
    for (std::size_t n = 0; n < count; ++n) {
      Collective collective;
      collective.communicator = CommunicatorId(communicator);
      for (const auto &[rank, list] : byRank) {
        if (n < list.size())
          collective.members.push_back(list[n]);
        else
          collective.missing.emplace_back(rank);
      }
      result.collectives.push_back(std::move(collective));
    }
  }
}

} // namespace

Matching matchMessages(const Program &program) {
  Matching result;
  result.partner.resize(program.instructions.size());
  result.channelOf.assign(program.instructions.size(), UINT32_MAX);
  result.indexInChannel.assign(program.instructions.size(), UINT32_MAX);
  findChannels(program, result);
  placeEnds(program, result);
  pairEnds(result);
  matchCollectives(program, result);
  return result;
}

} // namespace plumbline::model
