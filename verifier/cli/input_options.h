// The options of commands that read schedules: which files, and how they are read.
#pragma once

#include "verifier/cli/inputs.h"
#include "verifier/cli/judge.h"

#include "llvm/Support/CommandLine.h"

#include <string>

namespace plumbline::cli {

// Lives as long as parsing does: llvm::cl keeps registries of its own.
class InputOptions {
public:
  // `many`: those of `all` that take folders and patterns.
  InputOptions(llvm::ArrayRef<llvm::cl::SubCommand *> all, llvm::ArrayRef<llvm::cl::SubCommand *> many);

  // What was given; empty, or what is wrong.
  std::string take(Settings &settings, InputRules &rules) const;

  llvm::cl::OptionCategory category{"Input"};

private:
  llvm::cl::opt<frontend::Format> from_;
  llvm::cl::opt<std::string> batches_, placement_;
  llvm::cl::list<std::string> excluded_;
};

} // namespace plumbline::cli
