// What a run measured, beside what was predicted.
#pragma once

#include "runtime/backend/backend.h"
#include "runtime/train/timeline.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace plumbline::runtime {

struct PoolSummary {
  std::string pool;
  std::int32_t slots = 0;      // that the Program names, and that were reserved
  std::int32_t predicted = -1; // the least number, as the verifier counted; -1: not known
  std::int32_t peak = -1;      // in use at one time in the first step; -1: not watched
};

struct RankSummary {
  std::int32_t rank = 0;
  std::uint64_t reservedBytes = 0;
  std::vector<PoolSummary> pools;
};

struct Summary {
  std::int64_t steps = 0; // of this run
  double seconds = 0;     // of all of them
  IdleTime measured;      // in the last step
  IdleTime predicted;     // with the mean duration of each pass of that step
  std::vector<RankSummary> ranks;
};

// `least`: the verifier's count for a pool, or -1.
Summary summarize(const Plan &plan, Backend &backend, llvm::function_ref<std::int32_t(PoolId)> least,
                  std::int64_t steps, double seconds);

void printSummary(const Summary &summary, llvm::raw_ostream &out);
void printSummaryJson(const Summary &summary, llvm::raw_ostream &out);

} // namespace plumbline::runtime
