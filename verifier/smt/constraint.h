// Difference constraints between events numbered from 0, as flat arrays: all that this folder knows about.
#pragma once

#include <cstdint>

namespace plumbline::smt {

// time(to) >= time(from), or time(to) > time(from) if strict. Times are integers; scaling makes that no restriction.
struct Constraint {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  bool strict = false;
};

} // namespace plumbline::smt
