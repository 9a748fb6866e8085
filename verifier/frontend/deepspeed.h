// DeepSpeed's printed instruction lists as a Program.
//
// The lists name buffers but no microbatches: those follow from the history of each buffer (DESIGN section 5). What
// each instruction touches is taken from deepspeed/runtime/pipe/engine.py (_exec_forward_pass and its neighbours):
//   inputs[b]      the activation a stage takes; after the backward pass it also carries its gradient (`.grad`)
//   outputs[b]     what the forward pass makes and the backward pass starts from
//   labels[b]      on the last stage
//   grad_layer[0]  where received gradients arrive; one for the stage, whatever buffer they are for
//   loss[0]        on the last stage, of training: `self.loss`, which each forward pass replaces and the backward pass
//                  takes, whatever buffer it names
#pragma once

#include "verifier/frontend/source.h"
#include "verifier/ir/diagnostic.h"
#include "verifier/ir/program.h"

#include <string>
#include <vector>

namespace plumbline::frontend {

// Reads the lists. Errors: as deepspeed_text.h, and a message over the end of the pipeline. A buffer that its
// stage does not declare is no error here. Adds to `notes` what was taken for granted. Linear.
Result<Program> readDeepSpeed(const Source &file, std::vector<std::string> &notes);

} // namespace plumbline::frontend
