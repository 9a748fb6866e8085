// The sizes that the families on a grid (grid.h) refuse.
#pragma once

#include "schedules/family/family.h"

#include <string>

namespace plumbline::schedules::vee {

// What is wrong, or nothing. Up to 512 ranks: a search over a grid takes time with the cube of the ranks, a few seconds
// for as many.
std::string refuseManyRanks(const Request &request);

} // namespace plumbline::schedules::vee
