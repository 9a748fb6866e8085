// Turns an order of work into a Program: placement, messages, slots and waits.
#pragma once

#include "verifier/ir/diagnostic.h"
#include "verifier/ir/program.h"
#include "verifier/ir/schedule.h"
#include "verifier/lower/placement.h"

#include <optional>

namespace plumbline::lower {

// Lowers the schedule. Without a placement the rows decide; with one they must agree with it. A schedule without
// messages gets them (insert_communication.h). All messages use one communicator, "pipeline" (see communicators.h).
//
// Slots are as PyTorch allocates: one for each value, so none is ever reused and pools declare no size. Pools are
// `inputs`, `outputs`, `output_gradients`, `input_gradients` (and `labels`), where a rank uses them. A value that a
// neighbouring stage on the same rank makes is read where that stage left it. A read of a value that its rank never
// gets is left out: the schedule is incomplete, and the checks of completeness say so. Waits: computing waits for the
// receive that feeds it, a send for the computing that makes its value, if that stands earlier in the row. What one
// lane does in order needs no wait.
//
// A Schedule that names its buffers (Schedule::buffers) has these for its slots instead: see deepspeed_buffers.h.
//
// Errors: a placement that the rows contradict; a message to a stage that does not exist or stands on no rank, if the
// schedule does not name its peer. The result satisfies validate(). O(n log ranks) time, linear memory.
// Source of what each action touches: _PipelineStageBase.forward_one_chunk and its neighbours in
// torch/distributed/pipelining/stage.py.
Result<Program> lowerSchedule(const Schedule &schedule, const std::optional<Placement> &placement = std::nullopt);

} // namespace plumbline::lower
