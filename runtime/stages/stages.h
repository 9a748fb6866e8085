// The stages that come with Plumbline, in the host's memory, by the names that `plumbline run --stage` takes.
#pragma once

#include "runtime/stage.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace plumbline::stages {

struct BundledStage {
  const char *name = nullptr;
  const char *title = nullptr; // a line for people
};

llvm::ArrayRef<BundledStage> bundledStages();

// The functions of the stage of that name, which last for ever; null if there is none.
const plumbline_stage_functions *bundledStage(llvm::StringRef name);

// For --help: every stage with its title, and its options with their defaults, a line each.
std::string describeBundledStages();

} // namespace plumbline::stages
