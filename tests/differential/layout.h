// What stays fixed while a Program is simulated under one model: its units, lanes, message pairs, collective
// operations and connections. Written from the rules alone; nothing here is shared with the verifier.
#pragma once

#include "verifier/ir/program.h"
#include "verifier/model/options.h"

#include <cstdint>
#include <vector>

namespace plumbline::oracle {

// All members below are plain indices: instructions as in the Program, units, lanes and host steps
// numbered rank by rank in issue order. -1 means none.

// Instructions that begin together and end together.
struct Unit {
  int rank = -1;
  int firstMember = -1;
  int memberCount = 0;
  std::vector<int> lanes;    // the queue of each member; it is its turn when it is at the head of all
  int hostStep = -1;         // connections that the host has to make before this unit
  bool communicates = false; // has a point-to-point member or a member of a collective
  int component = -1;        // of units that messages connect; only where groups are atomic
};

// A queue of units of one rank.
struct Lane {
  int rank = -1;
  std::vector<int> units;
};

// When an instruction that has begun may complete.
enum class Ending : std::uint8_t {
  free,       // as soon as it likes
  never,      // its partner does not exist
  partner,    // when the unit of instruction `of` has begun
  completion, // when instruction `of` has completed
  operation,  // when every member of collective operation `of` has begun
  component,  // when all that the messages of component `of` connect has begun
};

struct EndRule {
  Ending ending = Ending::free;
  int of = -1;
};

// Units that messages connect, where groups are atomic.
struct Component {
  int units = 0;
  bool broken = false; // a member has no partner, so nothing in it ever moves
};

// The connections that one unit is the first to need.
struct HostStep {
  int unit = -1;
  bool broken = false; // a partner never connects
  std::vector<int> partners;
};

struct Layout {
  Layout(const Program &program, const model::Options &options);

  const Program &program;
  model::Options options;

  std::vector<Unit> units;
  std::vector<int> unitOf;    // per instruction
  std::vector<int> firstUnit; // per rank, and one more
  std::vector<Lane> lanes;
  std::vector<int> firstLane;               // per rank, and one more
  std::vector<EndRule> endings;             // per instruction
  std::vector<int> messagePartner;          // per instruction: the other end of its message
  std::vector<std::vector<int>> operations; // collective operations: their instructions
  std::vector<Component> components;
  std::vector<HostStep> hostSteps;
  std::vector<int> firstHostStep; // per rank, and one more

private:
  void formUnits();
  void formLanes();
  void matchMessages();
  void matchCollectives();
  void connectAtomically();
  void findFirstUses();
};

// The opcode's work is done together with other ranks: every rank of the communicator takes part.
bool isCollective(const Instruction &i);

} // namespace plumbline::oracle
