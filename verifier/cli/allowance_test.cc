#include "verifier/cli/allowance.h"

#include "gtest/gtest.h"

namespace plumbline::cli {
namespace {

TEST(Allowance, PercentagePointsAreTakenExactly) {
  const struct {
    const char *text;
    std::uint64_t parts, whole;
  } good[] = {{"0", 0, 100}, {"1.5%", 15, 1000}, {"1.5", 15, 1000}, {"100%", 100, 100}, {".25", 25, 10'000}};
  for (const auto &row : good) {
    compare::Allowance allowance;
    EXPECT_EQ(setAllowedBubble(row.text, allowance), "");
    EXPECT_EQ(allowance.bubble.parts, row.parts) << row.text;
    EXPECT_EQ(allowance.bubble.whole, row.whole) << row.text;
  }
  for (const char *text : {"", "%", "-1", "1.5%%", "101", "1e1", "0x1", "1.00000000000000000"}) {
    compare::Allowance allowance;
    EXPECT_NE(setAllowedBubble(text, allowance), "") << text;
  }
}

TEST(Allowance, BuffersAreANumber) {
  compare::Allowance allowance;
  EXPECT_EQ(setAllowedBuffers("3", allowance), "");
  EXPECT_EQ(allowance.buffers, 3);
  for (const char *text : {"", "-1", "1.5", "x", "1000000001", "99999999999"})
    EXPECT_NE(setAllowedBuffers(text, allowance), "") << text;
}

} // namespace
} // namespace plumbline::cli
