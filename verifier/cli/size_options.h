// The options --stages, --ranks and --microbatches, of commands that take sizes.
#pragma once

#include "verifier/ir/sizes.h"

#include "llvm/Support/CommandLine.h"

#include <string>

namespace plumbline::cli {

struct SizeMeanings {
  const char *stages, *ranks, *microbatches; // for --help
};

// Lives as long as parsing does: llvm::cl keeps registries of its own.
class SizeOptions {
public:
  SizeOptions(llvm::cl::SubCommand &command, llvm::cl::OptionCategory &category, const SizeMeanings &meanings);

  // What was given, each in base ten and from 1 on; empty, or what is wrong.
  std::string take(Sizes &sizes) const;

private:
  llvm::cl::opt<std::string> stages_, ranks_, microbatches_;
};

} // namespace plumbline::cli
