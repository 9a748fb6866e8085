// A Schedule as PyTorch's pipeline CSV; the reader is verifier/frontend/pytorch_csv.h.
#pragma once

#include "verifier/ir/diagnostic.h"
#include "verifier/ir/schedule.h"

#include <string>

namespace plumbline::backend {

// One row per rank, one cell per action: 0F0, 0SEND_F0, (0F1;0B0)OVERLAP_F_B. Messages are written if the Schedule has
// them. Read back, it is the same order. Errors, in the name of the schedule: an action that the format has no cell for
// (recompute, weight versions, ...), or two replicas, whose stages it cannot tell apart. Linear.
// Source: _Action.__str__ and from_str in torch/distributed/pipelining/schedules.py.
Result<std::string> toPyTorchCsv(const Schedule &schedule);

} // namespace plumbline::backend
