// Cuts an ordered system into windows that Z3 answers quickly, and that repeat where the schedule repeats.
#pragma once

#include "verifier/smt/session.h"

namespace plumbline::smt {

// First event of each window, and the event count at the end. Windows hold whole levels, about 256 to 1,024 events.
// In the steady state of a pipeline the levels repeat with a period; windows are cut at multiples of it, so equal
// windows give equal questions, which Session asks once. Linear.
std::vector<std::uint32_t> chooseWindows(const OrderedSystem &system);

// The constraints among events [first, last), renumbered from 0.
Query window(const OrderedSystem &system, std::uint32_t first, std::uint32_t last);

} // namespace plumbline::smt
