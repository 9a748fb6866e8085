// Units and lanes: what begins and ends together, and in which queue it waits its turn.
//
// A unit is one instruction, or the members of one group; it has one begin and one end. A group whose members belong to
// several lanes, such as a launch on two communicators, waits its turn in each of them: its members begin together.
#pragma once

#include "verifier/ir/program.h"
#include "verifier/model/options.h"

#include <vector>

namespace plumbline::model {

using UnitIndex = std::uint32_t;
inline constexpr std::uint32_t noIndex = UINT32_MAX;

struct Unit {
  std::uint32_t firstInstruction = 0; // members are consecutive in Program::instructions
  std::uint32_t memberCount = 0;
  std::uint32_t lane = 0; // index into Units::laneOffsets: the first member's, by which units are told apart and placed
  std::uint32_t positionInLane = 0;
  RankId rank;
  bool communicates = false; // has a point-to-point or collective member
};

struct Units {
  std::vector<Unit> units;                      // in order of rank, then of issue
  std::vector<UnitIndex> unitOf;                // per instruction
  std::vector<std::uint32_t> rankOffsets;       // units of rank r: [rankOffsets[r], rankOffsets[r+1])
  std::vector<std::uint32_t> laneOffsets;       // units of lane l: laneUnits[laneOffsets[l] .. laneOffsets[l+1])
  std::vector<UnitIndex> laneUnits;             // in issue order; a unit stands in the lane of each of its members
  std::vector<CommunicatorId> laneCommunicator; // per lane; none for a compute lane

  // A lane that both units stand in; noIndex if there is none. Linear in the lanes, for messages.
  [[nodiscard]] std::uint32_t sharedLane(UnitIndex a, UnitIndex b) const;

  [[nodiscard]] std::uint32_t laneCount() const { return static_cast<std::uint32_t>(laneOffsets.size()) - 1; }
};

// True for instructions that run in a communicator's lane: messages, and collectives that name a communicator.
bool isCommunication(const Instruction &instruction);
// True for instructions that every member of a communicator takes part in.
bool isCollective(const Instruction &instruction);

// Splits the Program into units (grouping and plan applied) and lanes. Linear.
Units makeUnits(const Program &program, const Options &options);

} // namespace plumbline::model
