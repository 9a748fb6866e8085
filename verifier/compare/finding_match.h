// Which findings of two versions are the same faults.
#pragma once

#include "verifier/check/finding.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <vector>

namespace plumbline::compare {

struct FindingPair {
  std::uint32_t base = 0, next = 0; // indices into the findings of each version
};

// Every finding of either version is in exactly one of these.
struct FindingMatch {
  std::vector<FindingPair> kept;    // of equal identity (check/identity.h) and severity
  std::vector<FindingPair> moved;   // of the rest: of equal rule, rank and severity, in order
  std::vector<std::uint32_t> added; // of the new version
  std::vector<std::uint32_t> fixed; // of the base
};

// O(n log n).
FindingMatch matchFindings(const Program &base, llvm::ArrayRef<check::Finding> baseFindings, const Program &next,
                           llvm::ArrayRef<check::Finding> nextFindings);

} // namespace plumbline::compare
