// The files that a command writes must be none of those that it reads, and no two of them the same.
#pragma once

#include "verifier/cli/command_line.h"

namespace plumbline::cli {

// What is wrong with the outputs that the command line names, or nothing. `inputs` is all that is read, with the files
// of folders and patterns. Names that lead to the same file by another way count as the same.
std::string wrongOutputs(const CommandLine &line, llvm::ArrayRef<Input> inputs);

} // namespace plumbline::cli
