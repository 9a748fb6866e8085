// DeepSpeed's printed instruction lists as a Schedule that names its buffers.
//
// The lists name buffers but no microbatches: those follow from the history of each buffer (DESIGN section 5). What
// the instructions touch is said in verifier/lower/deepspeed_buffers.h.
#pragma once

#include "verifier/frontend/source.h"
#include "verifier/ir/diagnostic.h"
#include "verifier/ir/schedule.h"

#include <string>
#include <vector>

namespace plumbline::frontend {

// Reads the lists. Errors: as deepspeed_text.h, and a message over the end of the pipeline. A buffer that its
// stage does not declare is no error here. Adds to `notes` what was taken for granted. Linear.
Result<Schedule> readDeepSpeed(const Source &file, std::vector<std::string> &notes);

} // namespace plumbline::frontend
