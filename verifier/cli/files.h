// Reading input files and writing results, with one sentence for everything that can go wrong.
#pragma once

#include "verifier/ir/diagnostic.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace plumbline::cli {

// The content of a file; "-" is standard input. Errors: missing, unreadable, a directory, larger than 1 GiB.
Result<std::string> readFile(const std::string &name);

// Lets `write` print into the file, or to standard output for "-" and "". The file appears whole or not at all; links
// are followed, and pipes and devices written to. Returns an empty string, or what went wrong.
std::string writeFile(const std::string &name, llvm::function_ref<void(llvm::raw_ostream &)> write);

} // namespace plumbline::cli
