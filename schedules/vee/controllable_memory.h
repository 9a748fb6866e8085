// Full schedules from a building block (Qi et al. 2024, "Pipeline Parallelism with Controllable Memory", section 4.2:
// repeat, squeeze and reorder, in the greedy way of the zero-bubble project's zbv_greedy scheduler, which makes its
// V-Half and V-Min).
#pragma once

#include "schedules/family/family.h"
#include "schedules/vee/grid.h"

namespace plumbline::schedules::vee {

// The order of every rank of `request`, two chunks a rank. `block` leaves two slots of every six free on each rank; the
// weight halves go there. No rank holds more than the plain repetition of the block needs on any rank.
//
// The block assumes passes of equal length, and so does all that is done to it: the project takes its measured costs
// only to print a bubble rate, and they never change the order.
Rows controllableMemory(const Request &request, const Block &block);

} // namespace plumbline::schedules::vee
