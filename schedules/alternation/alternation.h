// The order of 1F1B on one stage: a warm-up of forward passes, then one forward and one backward pass in turn, then
// the backward passes that are left. What a pass is (with its weights' version, or of a segment) the family says.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>

namespace plumbline::schedules {

// Calls each function with 0, 1, ..., passes - 1, once each. The first `warmUp` forward passes, or all if there are
// fewer, come before the first backward pass; from there on a forward pass, as long as there is one, comes before each.
// A `warmUp` below 0 counts as 0. Linear in `passes`.
void alternate(std::int32_t warmUp, std::int32_t passes, llvm::function_ref<void(std::int32_t)> forward,
               llvm::function_ref<void(std::int32_t)> backward);

} // namespace plumbline::schedules
