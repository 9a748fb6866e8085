// Largest antichain and least chain cover of a finite partial order.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <vector>

namespace plumbline::check {

struct ChainCover {
  std::vector<std::uint32_t> antichain; // elements of which none is below another; as many as there are chains
  std::vector<std::vector<std::uint32_t>> chains; // every element once; each chain in order
};

// `below(a, b)` must be a strict partial order on 0 .. n-1. By a maximum matching (Hopcroft and Karp 1973) and König's
// theorem: O(n^2 sqrt n) time, n^2 bits.
ChainCover coverByChains(std::uint32_t n, llvm::function_ref<bool(std::uint32_t, std::uint32_t)> below);

// The same where `a` is below `b` exactly if ends[a] <= starts[b] (an interval order, starts[a] < ends[a]).
// O(n log n).
ChainCover coverIntervals(const std::vector<std::uint32_t> &starts, const std::vector<std::uint32_t> &ends);

} // namespace plumbline::check
