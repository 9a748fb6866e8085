// Lists that name their buffers, as DeepSpeed's do, as a Program.
//
// What each action touches is taken from deepspeed/runtime/pipe/engine.py (_exec_forward_pass and its neighbours):
//   inputs[b]      the activation a stage takes; after the backward pass it also carries its gradient (`.grad`)
//   outputs[b]     what the forward pass makes and the backward pass starts from; RecvGrad looks up its shape there
//   labels[b]      on the last stage
//   grad_layer[0]  where received gradients arrive; one for the stage, whatever buffer they are for
//   loss[0]        on the last stage, of training: `self.loss`, which each forward pass replaces and the backward pass
//                  takes, whatever buffer it names
#pragma once

#include "verifier/ir/program.h"
#include "verifier/ir/schedule.h"

namespace plumbline::lower {

// The Schedule has messages with peers, its `buffers` has an entry for each rank, rank r works on stage r alone, and
// every action that touches a buffer names it. A buffer that its rank does not declare is no error here. Linear.
Program lowerNamedBuffers(const Schedule &schedule);

} // namespace plumbline::lower
