// What to tell of an execution in which nothing can happen any more.
#pragma once

#include "runtime/host/machine.h"

#include <string>
#include <vector>

namespace plumbline::runtime {

// For each rank that is not done, in each of its queues: the instruction that the queue is at, and what that waits for.
// Only while nothing is going on.
std::vector<std::string> describeStuck(const Plan &plan, const Machine &machine);

} // namespace plumbline::runtime
