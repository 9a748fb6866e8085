// The options that choose the communication model.
#pragma once

#include "verifier/cli/judge.h"

#include "llvm/Support/CommandLine.h"

#include <string>

namespace plumbline::cli {

// Lives as long as parsing does: llvm::cl keeps registries of its own.
class ModelOptions {
public:
  // `judging`: those of `all` that give a verdict by it.
  ModelOptions(llvm::ArrayRef<llvm::cl::SubCommand *> all, llvm::ArrayRef<llvm::cl::SubCommand *> judging);

  // What was given; empty, or what is wrong.
  std::string take(Settings &settings) const;

  llvm::cl::OptionCategory category{"Communication model (docs/semantics.md)"};

private:
  llvm::cl::opt<model::Kind> kind_;
  llvm::cl::opt<model::Comms> comms_;
  llvm::cl::opt<long long> room_, roomBytes_;
  llvm::cl::opt<model::Grouping> grouping_;
  llvm::cl::opt<model::Wait> wait_;
  llvm::cl::opt<model::Connect> connect_;
  llvm::cl::opt<long long> plan_;
  llvm::cl::opt<model::Streams> streams_;
  llvm::cl::opt<bool> strict_;
};

} // namespace plumbline::cli
