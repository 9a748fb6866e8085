#include "verifier/check/antichain.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <random>

namespace plumbline::check {
namespace {

using Below = std::vector<std::vector<bool>>;

// Size of the largest antichain by trying all subsets.
std::size_t largestAntichain(const Below &below) {
  const std::size_t n = below.size();
  std::size_t best = 0;
  for (std::uint32_t set = 0; set < (1U << n); ++set) {
    bool ok = true;
    for (std::size_t a = 0; a < n && ok; ++a)
      for (std::size_t b = 0; b < n && ok; ++b)
        ok = !((set >> a) & 1U) || !((set >> b) & 1U) || !below[a][b];
    if (ok)
      best = std::max(best, static_cast<std::size_t>(__builtin_popcount(set)));
  }
  return best;
}

void expectGood(const ChainCover &cover, const Below &below) {
  std::vector<int> seen(below.size(), 0);
  for (const auto &chain : cover.chains)
    for (std::size_t k = 0; k < chain.size(); ++k) {
      ++seen[chain[k]];
      if (k > 0) {
        EXPECT_TRUE(below[chain[k - 1]][chain[k]]);
      }
    }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(below.size()));
  EXPECT_EQ(cover.antichain.size(), cover.chains.size());
  for (const std::uint32_t a : cover.antichain)
    for (const std::uint32_t b : cover.antichain)
      EXPECT_FALSE(below[a][b]);
}

TEST(Antichain, RandomOrders) {
  std::mt19937 random(7);
  for (int run = 0; run < 300; ++run) {
    const std::size_t n = random() % 10;
    Below below(n, std::vector<bool>(n));
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = a + 1; b < n; ++b)
        below[a][b] = random() % 3 == 0;
    for (std::size_t k = 0; k < n; ++k) // transitive closure
      for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < n; ++b)
          if (below[a][k] && below[k][b])
            below[a][b] = true;
    const ChainCover cover = coverByChains(static_cast<std::uint32_t>(n),
                                           [&](std::uint32_t a, std::uint32_t b) -> bool { return below[a][b]; });
    expectGood(cover, below);
    EXPECT_EQ(cover.chains.size(), largestAntichain(below));
  }
}

TEST(Antichain, Intervals) {
  std::mt19937 random(11);
  for (int run = 0; run < 300; ++run) {
    const std::size_t n = random() % 12;
    std::vector<std::uint32_t> starts(n), ends(n);
    for (std::size_t k = 0; k < n; ++k) {
      starts[k] = random() % 12;
      ends[k] = starts[k] + 1 + random() % 6;
    }
    Below below(n, std::vector<bool>(n));
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b)
        below[a][b] = ends[a] <= starts[b];
    const ChainCover cover = coverIntervals(starts, ends);
    expectGood(cover, below);
    EXPECT_EQ(cover.chains.size(), largestAntichain(below));
  }
}

} // namespace
} // namespace plumbline::check
