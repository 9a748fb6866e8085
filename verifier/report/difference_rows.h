// The table of what changed, for outputs that people read.
#pragma once

#include "verifier/compare/comparison.h"

#include <string>
#include <vector>

namespace plumbline::report {

// `what` may quote the input; the rest does not.
struct DifferenceRow {
  compare::Grade grade = compare::Grade::neutral;
  std::string ranks;               // "0-3, 5"; empty: of the whole program
  std::string what, before, after; // empty values: there are none to show
};

// A row for each change, the worst first, then one for each opcode whose number changed; ranks that say the same share
// a row. O(n log n).
std::vector<DifferenceRow> rowsOf(const compare::Comparison &comparison);

} // namespace plumbline::report
