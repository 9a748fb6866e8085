// Runs a Program by simulation, the plainest possible reading of the rules of execution (DESIGN section 4).
//
// It is the verifier's opponent in differential tests, so it knows nothing of constraint graphs or solvers. Two facts
// carry everything built on it. Each rule only ever delays an event until others have happened, so whatever can move
// may as well move at once: if one execution completes, all do, and what gets stuck is the same in all. And an event
// that is put off for ever holds up just those events that come after it in every execution.
#pragma once

#include "tests/differential/execution.h"
#include "tests/differential/random.h"

namespace plumbline::oracle {

// What came of each instruction, and when, counted in begins and completions; -1: never.
struct Outcome {
  std::vector<int> begin;
  std::vector<int> completion;
  std::vector<std::uint8_t> ended; // its whole unit is done
  bool finished = false;           // everything ended
};

// Lets everything move as far as it can. Options::streams is taken as independent.
Outcome simulate(const Program &program, const model::Options &options, Withheld withheld = {});
// The same, one randomly chosen step at a time. Slow; a check on the fast one.
Outcome simulateInRandomOrder(const Program &program, const model::Options &options, Random &random);

// Whether some instruction never ends. Fills `stuck` with all of those, in issue order.
bool hangs(const Program &program, const model::Options &options, std::vector<InstructionId> *stuck = nullptr);

} // namespace plumbline::oracle
