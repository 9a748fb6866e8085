// `plumbline diff BASE NEW`: what got worse from one version of schedules to the next.
#pragma once

#include "verifier/cli/command_line.h"

namespace plumbline::cli {

// Kept of each rule in each version where two are compared; beyond that, findings are only counted, and never taken for
// equal.
inline constexpr std::size_t comparedFindingsPerRule = 1000;

// Compares two files, or two folders: those by relative path (compare/pairing.h). Prints, complaints to standard error,
// and returns the exit code. 0: nothing got worse; 1: something did; 2: bad usage, or a new version that cannot be
// read; 3: nothing is known to have got worse, and something may have. Of several files as for `verify`: 2, then 1,
// then 3.
int diffFiles(const CommandLine &line);

} // namespace plumbline::cli
