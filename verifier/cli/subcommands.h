// One option of several commands.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/CommandLine.h"

namespace plumbline::cli {

// Takes the place of a cl::sub for each command.
class OfCommands {
public:
  explicit OfCommands(llvm::ArrayRef<llvm::cl::SubCommand *> commands) : commands_(commands) {}

  template <typename Option> void apply(Option &option) const {
    for (llvm::cl::SubCommand *command : commands_)
      option.addSubCommand(*command);
  }

private:
  llvm::ArrayRef<llvm::cl::SubCommand *> commands_;
};

} // namespace plumbline::cli
