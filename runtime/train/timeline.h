// When everything would happen if every pass took a given time and messages none.
#pragma once

#include "runtime/backend/backend.h"
#include "runtime/plan/plan.h"

namespace plumbline::runtime {

// Idle time of all ranks together: a rank is idle from the first pass of any rank to the last, while it computes
// nothing.
struct IdleTime {
  std::int64_t makespan = 0; // nanoseconds
  double share = 0;          // idle time / (ranks * makespan); 0 without any pass
  std::vector<double> byRank;
};

// Of spans as a backend measured them, or as predicted.
IdleTime idleTimeOf(const Plan &plan, llvm::ArrayRef<Span> spans);

// The spans of an execution in which each pass takes its duration (nanoseconds, per instruction), members of an overlap
// one after another, everything else no time, and all happens as early as the model lets it.
std::vector<Span> predict(const Plan &plan, llvm::ArrayRef<std::int64_t> durations);

// Mean durations of equal passes (opcode and place in the pipeline), for predict().
std::vector<std::int64_t> meanDurations(const Plan &plan, llvm::ArrayRef<Span> spans);

} // namespace plumbline::runtime
