// `plumbline view`: one schedule, or two beside each other, in time.
#pragma once

#include "verifier/cli/command_line.h"

namespace plumbline::cli {

// Prints, and returns the exit code of the verdict; of two files, of the new one's.
int viewFile(const CommandLine &line);

} // namespace plumbline::cli
