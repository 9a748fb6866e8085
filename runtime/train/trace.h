// The last step as a trace that chrome://tracing and Perfetto open.
#pragma once

#include "runtime/backend/backend.h"
#include "runtime/plan/plan.h"

#include "llvm/Support/raw_ostream.h"

namespace plumbline::runtime {

// A process for each rank, a row for each of its queues, a bar for each instruction (Chrome's trace event format, JSON
// object form; times in microseconds). Instructions without a span are left out.
void printTrace(const Plan &plan, llvm::ArrayRef<Span> spans, llvm::raw_ostream &out);

} // namespace plumbline::runtime
