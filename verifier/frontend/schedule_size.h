// How many stages and microbatches a Schedule means, for formats that do not say.
#pragma once

#include "verifier/ir/schedule.h"

namespace plumbline::frontend {

// The highest stage named, plus one. Linear.
std::int32_t countStages(const Schedule &schedule);

// As many microbatches as most stages forward (of two equally frequent counts the larger). So a stage that forwards
// 1..M where the others have 0..M-1 does not pass for a schedule of M + 1. A Schedule without a forward is counted by
// what it has. O(n log n).
std::int32_t countMicrobatches(const Schedule &schedule);

// Inference if there is no backward pass at all, else training. Linear.
Mode modeOf(const Schedule &schedule);

} // namespace plumbline::frontend
