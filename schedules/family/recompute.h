// Activation recomputation (Chen et al. 2016, "Training Deep Nets with Sublinear Memory Cost"), for any order.
#pragma once

#include "schedules/family/rows.h"

namespace plumbline::schedules {

// Puts a recompute right before each backward pass, or before the input half of a split one. A rank then keeps only
// the input of a stage from its forward pass on, and all of its activations only from the recompute on. In an
// overlapped call the recompute comes before the call. Linear.
void addRecompute(Rows &rows);

} // namespace plumbline::schedules
