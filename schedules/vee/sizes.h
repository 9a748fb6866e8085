// The sizes that the families on a V of two chunks a rank refuse.
#pragma once

#include "schedules/family/family.h"

#include <string>

namespace plumbline::schedules::vee {

// Two stages on each rank, no less and no more.
std::string refuseOtherChunks(const Request &request);

// That, and no more ranks than a grid is good for: a search over one takes time with the cube of the ranks.
std::string refuseForGrid(const Request &request);

} // namespace plumbline::schedules::vee
