// From the word after --stage to the functions of a stage.
#pragma once

#include "runtime/stage.h"
#include "verifier/ir/diagnostic.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace plumbline::runtime {

// A bundled stage by name, or NAME in a shared library: "libmine.so:NAME", "./libmine.so:NAME" (a function without
// arguments that returns a const plumbline_stage_functions *). The library stays loaded. Errors: neither is there.
Result<const plumbline_stage_functions *>
chooseStage(const std::string &word, llvm::function_ref<const plumbline_stage_functions *(llvm::StringRef)> bundled);

} // namespace plumbline::runtime
