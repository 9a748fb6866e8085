#include "verifier/check/antichain.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>
#include <queue>

namespace plumbline::check {
namespace {

constexpr std::uint32_t none = UINT32_MAX;

// Maximum matching between left copies (as lower elements) and right copies (as upper elements).
class Matching {
public:
  Matching(std::uint32_t n, llvm::function_ref<bool(std::uint32_t, std::uint32_t)> below)
      : n_(n), above_(n, llvm::BitVector(n)), upperOf_(n, none), lowerOf_(n, none), layer_(n) {
    for (std::uint32_t a = 0; a < n; ++a)
      for (std::uint32_t b = 0; b < n; ++b)
        if (a != b && below(a, b))
          above_[a].set(b);
    while (makeLayers())
      for (std::uint32_t a = 0; a < n; ++a)
        if (upperOf_[a] == none)
          augment(a);
  }

  ChainCover cover() const {
    ChainCover result;
    for (std::uint32_t first = 0; first < n_; ++first) {
      if (lowerOf_[first] != none)
        continue;
      result.chains.emplace_back();
      for (std::uint32_t a = first; a != none; a = upperOf_[a])
        result.chains.back().push_back(a);
    }
    result.antichain = antichain();
    return result;
  }

private:
  // Breadth-first layers of alternating paths from free lower elements; true if one reaches a free upper element.
  bool makeLayers() {
    std::vector<std::uint32_t> queue;
    for (std::uint32_t a = 0; a < n_; ++a) {
      layer_[a] = upperOf_[a] == none ? 0 : none;
      if (layer_[a] == 0)
        queue.push_back(a);
    }
    bool found = false;
    for (std::size_t k = 0; k < queue.size(); ++k)
      for (const unsigned b : above_[queue[k]].set_bits()) {
        const std::uint32_t next = lowerOf_[b];
        if (next == none) {
          found = true;
        } else if (layer_[next] == none) {
          layer_[next] = layer_[queue[k]] + 1;
          queue.push_back(next);
        }
      }
    return found;
  }

  // Depth-first along the layers, without recursion: paths can be as long as the order is deep.
  void augment(std::uint32_t root) {
    struct Frame {
      std::uint32_t lower;
      int upper; // candidate that is being tried
    };
    std::vector<Frame> path = {{root, -1}};
    while (!path.empty()) {
      Frame &frame = path.back();
      frame.upper = frame.upper < 0 ? above_[frame.lower].find_first()
                                    : above_[frame.lower].find_next(static_cast<unsigned>(frame.upper));
      if (frame.upper < 0) {
        layer_[frame.lower] = none; // no way on from here in these layers
        path.pop_back();
        continue;
      }
      const std::uint32_t next = lowerOf_[static_cast<std::uint32_t>(frame.upper)];
      if (next == none) {
        for (const Frame &step : path) {
          upperOf_[step.lower] = static_cast<std::uint32_t>(step.upper);
          lowerOf_[static_cast<std::uint32_t>(step.upper)] = step.lower;
        }
        return;
      }
      if (layer_[next] == layer_[frame.lower] + 1)
        path.push_back({next, -1});
    }
  }

  // König: with Z the lower elements reachable from free ones along alternating paths, the least vertex cover is the
  // lower elements outside Z and the upper ones next to Z. Elements in neither copy form the antichain.
  std::vector<std::uint32_t> antichain() const {
    llvm::BitVector lowerReached(n_), upperReached(n_);
    std::vector<std::uint32_t> queue;
    for (std::uint32_t a = 0; a < n_; ++a)
      if (upperOf_[a] == none) {
        lowerReached.set(a);
        queue.push_back(a);
      }
    for (std::size_t k = 0; k < queue.size(); ++k)
      for (const unsigned b : above_[queue[k]].set_bits()) {
        if (upperReached.test(b))
          continue;
        upperReached.set(b);
        const std::uint32_t next = lowerOf_[b];
        if (next != none && !lowerReached.test(next)) {
          lowerReached.set(next);
          queue.push_back(next);
        }
      }
    std::vector<std::uint32_t> result;
    for (std::uint32_t a = 0; a < n_; ++a)
      if (lowerReached.test(a) && !upperReached.test(a))
        result.push_back(a);
    return result;
  }

  std::uint32_t n_;
  std::vector<llvm::BitVector> above_;
  std::vector<std::uint32_t> upperOf_, lowerOf_, layer_;
};

} // namespace

ChainCover coverByChains(std::uint32_t n, llvm::function_ref<bool(std::uint32_t, std::uint32_t)> below) {
  return Matching(n, below).cover();
}

ChainCover coverIntervals(const std::vector<std::uint32_t> &starts, const std::vector<std::uint32_t> &ends) {
  std::vector<std::uint32_t> byStart(starts.size());
  std::iota(byStart.begin(), byStart.end(), 0U);
  llvm::stable_sort(byStart, [&](std::uint32_t a, std::uint32_t b) { return starts[a] < starts[b]; });
  using Busy = std::pair<std::uint32_t, std::uint32_t>; // end of the chain's last interval, chain
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy;
  ChainCover result;
  std::uint32_t fullestMoment = 0;
  for (const std::uint32_t k : byStart) {
    if (!busy.empty() && busy.top().first <= starts[k]) {
      const std::uint32_t chain = busy.top().second;
      busy.pop();
      result.chains[chain].push_back(k);
      busy.emplace(ends[k], chain);
    } else {
      // No chain is free, so all of them and the new one are live here.
      busy.emplace(ends[k], static_cast<std::uint32_t>(result.chains.size()));
      result.chains.push_back({k});
      fullestMoment = starts[k];
    }
  }
  for (const std::uint32_t k : byStart)
    if (starts[k] <= fullestMoment && ends[k] > fullestMoment)
      result.antichain.push_back(k);
  return result;
}

} // namespace plumbline::check
