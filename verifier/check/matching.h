// PL201 to PL205: do the ends of every message and collective fit each other?
#pragma once

#include "verifier/check/context.h"

namespace plumbline::check {

// O(n log n) in the number of communication instructions.
void checkMatching(const Context &context);

} // namespace plumbline::check
