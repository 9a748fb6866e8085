// The sizes and options that the sweep asks every family for.
#pragma once

#include "schedules/family/family.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <string>

namespace plumbline::schedules::sweep {

enum class Extent : std::uint8_t {
  core, // some of it: what runs with every test
  full, // ranks 1 to 8 and 16, every number of microbatches up to four times the ranks and a few large ones
};

struct Case {
  Request request;
  std::string words; // "stages=4 ranks=4 microbatches=8 recompute=yes"
};

// Calls `visit` for each case that the family does not refuse; returns the number of refused ones. Options take each of
// their words, or of a number a few values, and every two options each pair of values.
std::size_t forEachCase(const Family &family, Extent extent, llvm::function_ref<void(const Case &)> visit);

} // namespace plumbline::schedules::sweep
