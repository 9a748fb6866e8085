// Sizes of a schedule as the user gives them.
#pragma once

#include <cstdint>

namespace plumbline::cli {

// 0: not given.
struct Sizes {
  std::int64_t stages = 0; // of one replica
  std::int64_t ranks = 0;
  std::int64_t microbatches = 0; // of one step, of all replicas together
};

} // namespace plumbline::cli
