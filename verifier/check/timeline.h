// What a picture of one step shows: when each instruction runs, in which queue, and what its slots hold meanwhile.
#pragma once

#include "verifier/check/bubble.h"
#include "verifier/check/finding.h"
#include "verifier/model/options.h"
#include "verifier/model/times.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace plumbline::check {

struct Timeline {
  struct Lane {
    RankId rank;
    CommunicatorId communicator; // none: computing; under the blocking model everything
  };
  // From the write of a value to the end of its last use; values that replace each other in place are one life.
  struct Life {
    PoolId pool;
    std::int32_t slot = 0;       // as the program has it
    std::int32_t leastSlot = -1; // where no more than the least number are used; -1: that number is not known
    InstructionId birth;         // the first that writes
    InstructionId last;          // of those that use it, the one that ends last; of several, the last to begin
    bool open = false;           // the value is never used, or some use never begins or never ends
    bool witness = false;        // one of the set that makes the least number
  };

  model::Costs costs;
  std::vector<std::int64_t> begin, end; // per instruction, in ticks of the costs; -1: never happens
  std::int64_t makespan = 0;            // of what happens
  std::vector<Lane> lanes;              // in order of rank
  std::vector<std::uint32_t> laneOf;    // per instruction: index into `lanes`
  std::vector<InstructionId> partner;   // per instruction: the other end of its message; none if there is none
  std::vector<Life> lives;              // by pool, slot, then begin
  std::optional<Bubble> bubble;         // nothing if the program cannot finish or computes nothing
};

// Everything as early as the model allows. `slots` are what verification counted for the same program and model
// (Verification::slots), possibly nothing. The Program must satisfy validate(). O(n log n).
Timeline timelineOf(const Program &program, const model::Options &options, const model::Costs &costs,
                    llvm::ArrayRef<SlotCount> slots);

} // namespace plumbline::check
