// The options of `plumbline gen`, and of generators that people build themselves.
#pragma once

#include "verifier/cli/generate.h"
#include "verifier/cli/size_options.h"

#include "llvm/Support/CommandLine.h"

#include <string>

namespace plumbline::cli {

// Lives as long as parsing does: llvm::cl keeps registries of its own.
class GenerateOptions {
public:
  explicit GenerateOptions(llvm::cl::SubCommand &command);

  // What was given; empty, or what is wrong.
  std::string take(GenerateSettings &settings) const;

  llvm::cl::OptionCategory category{"Schedule"};

private:
  SizeOptions sizes_;
  llvm::cl::list<std::string> options_;
  llvm::cl::opt<Emit> emit_;
};

} // namespace plumbline::cli
