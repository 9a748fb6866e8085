// What each command does. Prints, and returns the exit code.
#pragma once

#include "verifier/cli/command_line.h"

namespace plumbline::cli {

int run(const CommandLine &line);

} // namespace plumbline::cli
