// Gives the actions of a Schedule the buffers that DeepSpeed's lists name.
#pragma once

#include "verifier/ir/diagnostic.h"
#include "verifier/ir/schedule.h"

namespace plumbline::lower {

// Returns a one-way pipeline with messages (insertCommunication), one stage on each rank, as DeepSpeed's engine would
// be told to run it: with loads before the forward passes of the first and last stage, the reductions and the optimizer
// step at the end of training, a buffer for each microbatch from its arrival until its last use, the lowest free one,
// and a step for each forward or backward pass with the messages before it. No row could do with fewer buffers.
//
// Errors, in the name of the schedule, for what the engine cannot run: several stages on a rank, a split backward pass,
// a recompute, overlapped or fused calls; a second received gradient before the backward pass that takes the first
// (grad_layer), a second forward pass of the last stage before its backward pass (loss); activations that a stage takes
// in another order than 0, 1, 2, ... O(n log n).
// Source: deepspeed/runtime/pipe/engine.py, _exec_backward_pass, _exec_recv_grads.
Result<Schedule> nameBuffers(const Schedule &schedule);

} // namespace plumbline::lower
