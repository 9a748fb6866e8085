#include "verifier/cli/limits.h"

#include "gtest/gtest.h"

namespace plumbline::cli {
namespace {

check::Share shareOf(const std::string &text) {
  check::Limits limits;
  EXPECT_EQ(setBubbleLimit(text, limits), "") << text;
  return limits.bubble.value_or(check::Share());
}

// The share times `scale` is exactly `expected`.
void expectShare(const std::string &text, std::uint64_t expected, std::uint64_t scale) {
  const check::Share share = shareOf(text);
  EXPECT_EQ(share.parts * scale, expected * share.whole) << text;
  EXPECT_EQ(share.text, text);
}

TEST(BubbleLimit, IsTakenExactly) {
  expectShare("0", 0, 1);
  expectShare("1", 1, 1);
  expectShare("0.125", 125, 1000);
  expectShare(".5", 1, 2);
  expectShare("1.", 1, 1);
  expectShare("00.50", 1, 2);
  expectShare("12.5%", 125, 1000);
  expectShare("100%", 1, 1);
  expectShare("100.00%", 1, 1);
  expectShare("0%", 0, 1);
  const check::Share third = shareOf("0.333333333333333333");
  EXPECT_EQ(third.parts, 333'333'333'333'333'333U);
  EXPECT_EQ(third.whole, 1'000'000'000'000'000'000U);
}

TEST(BubbleLimit, OtherWordsAreRefused) {
  for (const char *text : {"",
                           ".",
                           "%",
                           "-0.1",
                           "+0.1",
                           "1.1",
                           "12.5",
                           "100.01%",
                           "101%",
                           "1e-3",
                           "0.1.2",
                           "0,1",
                           " 0.1",
                           "0.1 %",
                           "0.1%%",
                           "nan",
                           "0.3333333333333333333",
                           "33.33333333333333333%",
                           "18446744073709551617",
                           "999999999999999999999999"}) {
    check::Limits limits;
    EXPECT_NE(setBubbleLimit(text, limits), "") << text;
    EXPECT_FALSE(limits.bubble) << text;
  }
}

TEST(BufferLimit, OfAllPoolsOrOfOne) {
  check::Limits limits;
  for (const char *text : {"0", "1000000000", "inputs=3", "a=b=4"})
    EXPECT_EQ(addBufferLimit(text, limits), "") << text;
  ASSERT_EQ(limits.slots.size(), 4U);
  EXPECT_EQ(limits.slots[1].pool, "");
  EXPECT_EQ(limits.slots[1].most, 1'000'000'000);
  EXPECT_EQ(limits.slots[2].pool, "inputs");
  EXPECT_EQ(limits.slots[2].most, 3);
  EXPECT_EQ(limits.slots[3].pool, "a=b");
  for (const char *text :
       {"", "=", "=3", "inputs=", "inputs", "-1", "inputs=-1", "1.5", "1000000001", "0x10", "99999999999999999999"})
    EXPECT_NE(addBufferLimit(text, limits), "") << text;
  EXPECT_EQ(limits.slots.size(), 4U);
}

} // namespace
} // namespace plumbline::cli
