// The search for a zero-bubble order on a V: Qi et al. 2024, "Zero Bubble Pipeline Parallelism", section 6, in the
// greedy way of the zero-bubble project's zbv scheduler.
#pragma once

#include "schedules/family/family.h"

#include <cstdint>

namespace plumbline::schedules::vee {

// Times that the search reckons with.
struct SearchCosts {
  std::int64_t forward = 1;
  std::int64_t backwardInput = 1;
  std::int64_t backwardWeight = 1;
  std::int64_t message = 0; // between two ranks
};

// The order of every rank of `request`, two chunks a rank, with split backward passes. A rank holds at most two chunks'
// activations for each rank there is, as many as 1F1B's first rank. Linear in the actions for each attempt; there are
// four kinds of attempts, each repeated as long as that makes the bubble smaller.
//
// Two differences from the project. It counts bytes, from the model's sizes, of which an input half gives back some
// already; here a chunk's activation is held in one piece until its weight half. With equal costs the orders differ
// only from six ranks on, where there are more microbatches than ranks but fewer than twice as many less one. And on a
// single rank, where there are no messages, the project lets their time delay passes.
Rows fillBubbles(const Request &request, const SearchCosts &costs);

} // namespace plumbline::schedules::vee
