// `plumbline verify`: judges, reports in every format that was asked for, and certifies.
#pragma once

#include "verifier/cli/command_line.h"
#include "verifier/report/text.h"

namespace plumbline::cli {

// Prints, and returns the exit code.
int verifyFiles(const CommandLine &line);

// How text for people looks where the output of this command goes.
report::TextStyle styleFor(const CommandLine &line);

} // namespace plumbline::cli
