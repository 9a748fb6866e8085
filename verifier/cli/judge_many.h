// Judges many files at once, and hands their reports over one by one.
#pragma once

#include "verifier/cli/inputs.h"
#include "verifier/cli/judge.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace plumbline::cli {

// The report of one input; one that is no file is invalid. `batches` of the settings, if there, is meant for every
// file and replaces what was found beside it.
report::Report judgeInput(const Input &input, const Settings &settings, smt::Session &session);

// Calls `take` in the calling thread for each input, in their order, whatever order they are done in. Uses
// settings.jobs threads: a file each where there are several, else all for the one. At most a few reports for each
// thread wait for their turn, so memory does not grow with the number of files.
void judgeMany(llvm::ArrayRef<Input> inputs, const Settings &settings, llvm::function_ref<void(report::Report)> take);

} // namespace plumbline::cli
