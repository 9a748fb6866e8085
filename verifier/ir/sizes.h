// Sizes of a schedule as a user gives them: to a generator, or to hold a file against.
#pragma once

#include <cstdint>

namespace plumbline {

// 0: not given.
struct Sizes {
  std::int64_t stages = 0; // of one replica
  std::int64_t ranks = 0;
  std::int64_t microbatches = 0; // of one step, of all replicas together
};

} // namespace plumbline
