// Every case of a family under every model.
#pragma once

#include "schedules/sweep/cases.h"
#include "schedules/sweep/table.h"

#include <cstddef>
#include <string>
#include <vector>

namespace plumbline::schedules::sweep {

struct Swept {
  Found found;
  std::size_t cases = 0;               // judged, under each model
  std::size_t refused = 0;             // sizes and options that the family refuses
  std::vector<std::string> unexpected; // what is neither verified nor documented, or documented and does not happen
};

// Judges the cases with the numbers first, first + step, ... of the family, so that several processes can share them.
Swept sweep(const Family &family, Extent extent, std::size_t first = 0, std::size_t step = 1);

} // namespace plumbline::schedules::sweep
