// The command line, read into plain values.
#pragma once

#include "verifier/cli/judge.h"

#include <string>
#include <vector>

namespace plumbline::cli {

enum class Command : std::uint8_t { none, verify, lower, buffers, rules };
enum class OutputFormat : std::uint8_t { text, json };

struct CommandLine {
  Command command = Command::none;
  Settings settings;
  std::vector<std::string> files; // or rule names for `rules`
  OutputFormat format = OutputFormat::text;
  std::string output; // -o; empty: standard output
  bool log = false;   // --log: what is done, on standard error
};

// Reads the arguments. On bad usage prints what is wrong to standard error and returns false. `--help` and `--version`
// print and leave the process with 0, as llvm::cl does.
bool parseCommandLine(int argc, char **argv, CommandLine &result);

} // namespace plumbline::cli
