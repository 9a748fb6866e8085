// The order that the zero-bubble project (sail-sg/zero-bubble-pipeline-parallelism, commit 39f2c186, scheduler zb,
// without its integer program) finds for a line of stages: Qi et al. 2024, "Zero Bubble Pipeline Parallelism",
// section 3.1. ZB-H1 and ZB-H2 are this order under a small and a large memory limit.
#pragma once

#include "schedules/family/family.h"

#include <cstdint>

namespace plumbline::schedules {

// Times that the order is made for. They are also the project's own initial ones, but for messages (there 1).
inline constexpr Option zeroBubbleCosts[] = {
    {"cost_f", "time of a forward pass", 1000, 1, 1'000'000},
    {"cost_i", "time of the input half of a backward pass", 1000, 1, 1'000'000},
    {"cost_w", "time of the weight half of a backward pass", 1000, 1, 1'000'000},
    {"cost_comm", "time of a message between two ranks", 0, 0, 1'000'000},
};

// The order under which no rank stores more than `limit` times what one forward pass stores. The request has the
// options above. Linear.
Rows zeroBubbleRows(const Request &request, std::int64_t limit);

// Whether the three times are equal and messages take none, which is where the papers' closed forms hold.
bool costsAreEven(const Request &request);

} // namespace plumbline::schedules
