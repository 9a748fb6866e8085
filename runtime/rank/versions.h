// Which version of its weights every pass computes with, and how many there are at a time.
#pragma once

#include "verifier/ir/diagnostic.h"
#include "verifier/ir/program.h"

#include <cstdint>
#include <vector>

namespace plumbline::runtime {

// Buffers for the weights of one stage. At the start of a step the newest version lies in buffer 0, and passes compute
// with it until the Program picks another.
struct Versions {
  std::int32_t buffers = 1; // the most that are needed at a time
  std::int32_t newest = 0;  // the buffer of the newest version at the end of the step
  std::int32_t updates = 0; // optimizer steps of this stage within the step; 0: the stage is updated after it
};

// One instruction of the stage: a pass computes with buffer `from`; an update reads it, and writes `to`.
struct VersionUse {
  std::int32_t from = 0;
  std::int32_t to = 0;
};

struct VersionPlan {
  std::vector<Versions> stages; // by stage
  std::vector<VersionUse> uses; // per instruction
  // By stage and microbatch (stage * microbatches + microbatch): backward passes whose gradients go into the same
  // update, 0 if it has no update within the step.
  std::vector<std::int32_t> sharers;
};

// Follows the order of every rank. Errors, with the place: weights are picked that were not kept. Linear, but for the
// few versions of a stage at a time.
Result<VersionPlan> planVersions(const Program &program);

} // namespace plumbline::runtime
