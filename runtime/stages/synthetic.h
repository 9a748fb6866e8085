// A stage that computes nothing and takes its time: for measuring schedules and for checking that a runtime brings
// every value to where it belongs. Passes sleep until a deadline, so that many ranks overlap on few cores. A digest
// goes through the pipeline in the first and last eight bytes of each activation and gradient; it takes in the stage,
// the microbatch and the parameters, so a value that is lost, late, mixed up or of a wrong weight version changes the
// losses and the gradients, which two runs can compare bit by bit.
#pragma once

#include "runtime/stage.h"
#include "runtime/stages/options.h"

#include "llvm/ADT/ArrayRef.h"

namespace plumbline::stages {

extern const plumbline_stage_functions syntheticFunctions;
llvm::ArrayRef<Option> syntheticOptions();

} // namespace plumbline::stages
