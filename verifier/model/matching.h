// Who meets whom: point-to-point messages pair first in, first out on each channel; collectives pair by position.
//
// NCCL and blocking MPI without tags deliver messages between two ranks of one communicator in the order sent
// (corpus/field/NCCL_FACTS.md O1), so what a message carries plays no part in the pairing.
#pragma once

#include "verifier/ir/program.h"

#include <vector>

namespace plumbline::model {

// The messages of one (source, destination, communicator), in issue order of each end.
struct Channel {
  RankId source, destination;
  CommunicatorId communicator;
  std::uint32_t firstSend = 0, sendCount = 0;       // range of Matching::channelSends
  std::uint32_t firstReceive = 0, receiveCount = 0; // range of Matching::channelReceives
};

// The n-th collective of one communicator, as far as its ranks issue one.
struct Collective {
  CommunicatorId communicator;
  std::vector<InstructionId> members; // ascending
  std::vector<RankId> missing;        // ranks of the communicator that never issue it
};

struct Matching {
  std::vector<Channel> channels;
  std::vector<InstructionId> channelSends;
  std::vector<InstructionId> channelReceives;
  std::vector<InstructionId> partner;        // per instruction; none if it is not point-to-point or has no partner
  std::vector<std::uint32_t> channelOf;      // per instruction, else UINT32_MAX
  std::vector<std::uint32_t> indexInChannel; // per instruction: n for the n-th send (or receive) of its channel
  std::vector<Collective> collectives;
};

// O(n log n) in the number of communication instructions.
Matching matchMessages(const Program &program);

} // namespace plumbline::model
