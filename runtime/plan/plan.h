// What a backend needs to know of a Program under one communication model, worked out once and kept in flat arrays:
// what begins together, in which queue it stands, what it waits for on its own rank, and at which end of which channel.
//
// Written from the rules (DESIGN section 4; docs/semantics.md), on purpose without the verifier's constraint graph:
// what the verifier proves and what a backend does are two readings of the same rules, and tests hold one against the
// other. Messages are not paired here: at run time the n-th send posted to a channel meets the n-th receive posted to
// it.
#pragma once

#include "verifier/ir/program.h"
#include "verifier/model/options.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline::runtime {

inline constexpr std::uint32_t none = UINT32_MAX;

// A step is what begins at one moment: one instruction, the members of a group, or the making of connections by the
// host (--connect first-use). Steps of one rank stand together, in issue order.
using StepIndex = std::uint32_t;
using InstructionIndex = std::uint32_t;

struct Step {
  InstructionIndex first = 0; // members stand together in Program::instructions; of a host step: those it connects for
  std::uint32_t members = 0;  // 0: a host step
  std::int32_t rank = 0;
  bool computes = false;           // some member works on the rank itself
  bool communicates = false;       // some member needs other ranks
  std::uint32_t prerequisites = 0; // steps of the same rank that have to end before this one begins
  std::uint32_t component = none;  // of launches that messages tie together; only where groups are atomic
};

// A queue of one rank. The compute queue is the first of its rank, also if nothing stands in it.
struct Lane {
  std::int32_t rank = 0;
  CommunicatorId communicator; // none: the compute queue
  std::vector<StepIndex> steps;
};

// Messages of one (source, destination, communicator).
struct Channel {
  std::int32_t source = 0, destination = 0;
  CommunicatorId communicator;
  std::uint32_t sends = 0, receives = 0;
  bool buffered = false; // some of its sends may end before their receive begins
};

// How a send may end, once it has begun.
enum class Ending : std::uint8_t {
  rendezvous, // when its receive has begun
  free,       // at once
  room,       // when an earlier receive of the channel has completed
  atomic,     // when all launches that are tied to its own have begun; also of a receive
};

// One end of a message; kept for every instruction, and meaningless for those that send and receive nothing.
struct Port {
  std::uint32_t channel = none;
  std::uint32_t index = 0; // the n-th send, or receive, of the channel
  Ending ending = Ending::rendezvous;
  std::uint32_t roomAfter = 0; // for Ending::room: the receive that has to be complete
};

// The n-th collective operation of a communicator.
struct Collective {
  CommunicatorId communicator;
  std::uint32_t expected = 0; // members of the communicator
  std::vector<InstructionIndex> members;
};

// What the host does before the first messages of a step: it meets the hosts at the other ends.
struct Meeting {
  StepIndex step = 0;
  std::vector<StepIndex> others; // host steps; `none`: a host that never comes
};

class Plan {
public:
  const Program *program = nullptr;
  model::Options options;

  std::vector<Step> steps;
  std::vector<std::uint32_t> rankSteps;   // steps of rank r: [rankSteps[r], rankSteps[r+1])
  std::vector<StepIndex> stepOf;          // per instruction
  std::vector<std::uint32_t> followers;   // steps that wait for a step, all in one array
  std::vector<std::uint32_t> followersOf; // those of step s: [followersOf[s], followersOf[s+1])
  std::vector<Lane> lanes;
  std::vector<std::uint32_t> rankLanes; // lanes of rank r: [rankLanes[r], rankLanes[r+1])
  std::vector<Channel> channels;
  std::vector<Port> ports; // per instruction
  std::vector<Collective> collectives;
  std::vector<std::uint32_t> collectiveOf; // per instruction; none: it is no collective
  std::vector<std::uint32_t>
      componentSteps; // per component: steps in it; none: a message without its other end is in it
  std::vector<Meeting> meetings;
  std::vector<std::uint32_t> meetingOf; // per step; none: it is no host step

  [[nodiscard]] llvm::ArrayRef<std::uint32_t> followersOfStep(StepIndex step) const {
    return llvm::ArrayRef<std::uint32_t>(followers).slice(followersOf[step], followersOf[step + 1] - followersOf[step]);
  }
  [[nodiscard]] const Instruction &instruction(InstructionIndex index) const { return program->instructions[index]; }
};

// True for what needs other ranks: messages, and collectives that name a communicator.
bool needsOthers(const Instruction &instruction);
bool isCollective(const Instruction &instruction);

// Works the plan out. The Program must satisfy validate(), have the communicators that it is to run with, and outlive
// the plan. `wrong` is set to what no backend can carry out: a collective of a rank that is no member, --streams any.
// Linear, but for the waits, which are sorted.
Plan makePlan(const Program &program, const model::Options &options, std::string &wrong);

} // namespace plumbline::runtime
