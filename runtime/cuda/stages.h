// The bundled stages, in a device's memory: the same models over other operations. Options are those of the host's.
#pragma once

#include "runtime/stage.h"

#include "llvm/ADT/StringRef.h"

namespace plumbline::runtime::cuda {

// The functions of the stage of that name, which last for ever; null if there is none, or no CUDA in this build.
// Requests for device -1 are the host's.
const plumbline_stage_functions *cudaStage(llvm::StringRef name);

} // namespace plumbline::runtime::cuda
