// The main function of a generator of your own: a program that writes one schedule family's files.
#pragma once

#include "schedules/family/family.h"

namespace plumbline::cli {

// Takes the options of `plumbline gen` (--stages, --ranks, --microbatches, --option, --emit, -o) and writes the
// family's schedule. Returns the exit code: 0, or 2 with one sentence on standard error for bad usage and refused
// sizes.
int generatorMain(int argc, char **argv, const schedules::Family &family);

} // namespace plumbline::cli
