// A Schedule that names its buffers as DeepSpeed's printed instruction lists; the reader is
// verifier/frontend/deepspeed.h.
#pragma once

#include "verifier/ir/diagnostic.h"
#include "verifier/ir/schedule.h"

#include <string>

namespace plumbline::backend {

// A header for each stage, then a line for each of its steps, empty ones included. `buffers` must have an entry for
// each rank, every action a step below its number of steps, in order. Errors, in the name of the schedule: an action
// that DeepSpeed's engine has no instruction for. Linear. Source: PipeInstruction.__repr__ in
// deepspeed/runtime/pipe/schedule.py.
Result<std::string> toDeepSpeedText(const Schedule &schedule);

} // namespace plumbline::backend
