// How much worse the new version may be before it counts as worse.
#pragma once

#include "verifier/check/budget.h"

#include <cstdint>

namespace plumbline::compare {

// Nothing here makes an error acceptable.
struct Allowance {
  std::int32_t buffers = 0;       // more slots of each pool of each rank; from 0
  check::Share bubble{0, 1, "0"}; // more of the bubble; its text is the number of percentage points
  bool warnings = false;          // new warnings are accepted
};

} // namespace plumbline::compare
