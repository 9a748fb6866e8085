#include "verifier/ir/text.h"

#include "gtest/gtest.h"

#include <cstdint>
#include <limits>

namespace plumbline {
namespace {

TEST(LineReader, SplitsAtEitherLineEnd) {
  LineReader lines("a\r\n\nb");
  const std::optional<Line> a = lines.next(), empty = lines.next(), b = lines.next();
  ASSERT_TRUE(a && empty && b);
  EXPECT_EQ(a->text, "a");
  EXPECT_TRUE(a->lineEnd);
  EXPECT_EQ(empty->text, "");
  EXPECT_EQ(b->text, "b");
  EXPECT_EQ(b->number, 3U);
  EXPECT_FALSE(b->lineEnd);
  EXPECT_FALSE(lines.next());
}

TEST(LineReader, HasNoLineBehindTheLastLineEnd) {
  LineReader lines("a\n");
  EXPECT_TRUE(lines.next());
  EXPECT_FALSE(lines.next());
  EXPECT_FALSE(LineReader("").next());
}

Number numberOf(llvm::StringRef text, std::uint64_t limit) { return Scanner(text).number(limit); }

TEST(Scanner, ReadsNumbersUpToTheLimitAndNoFurther) {
  EXPECT_EQ(numberOf("0", 0).status, Number::Status::ok);
  EXPECT_EQ(numberOf("5", 1).status, Number::Status::tooLarge);
  EXPECT_EQ(numberOf("10", 9).status, Number::Status::tooLarge);
  EXPECT_EQ(numberOf("00012x", 12).value, 12U);
  EXPECT_EQ(numberOf("x", 12).status, Number::Status::missing);
  EXPECT_EQ(numberOf("-1", 12).status, Number::Status::missing);
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(numberOf("18446744073709551615", most).value, most);
  EXPECT_EQ(numberOf("18446744073709551616", most).status, Number::Status::tooLarge);
  EXPECT_EQ(numberOf("99999999999999999999999", most).status, Number::Status::tooLarge);
}

TEST(Scanner, StaysPutWhenANumberIsTooLarge) {
  Scanner scanner("  77");
  scanner.skipBlanks();
  EXPECT_EQ(scanner.number(7).status, Number::Status::tooLarge);
  EXPECT_EQ(scanner.column(), 3U);
}

TEST(CheckText, FindsWhatNoTextMayHold) {
  EXPECT_FALSE(checkText("f", "a\r\nb\n"));
  const std::optional<Diagnostic> nul = checkText("f", llvm::StringRef("ab\nc\0d", 6));
  ASSERT_TRUE(nul);
  EXPECT_EQ(nul->line, 2U);
  EXPECT_EQ(nul->column, 2U);
  const std::optional<Diagnostic> lone = checkText("f", "ab\rc");
  ASSERT_TRUE(lone);
  EXPECT_EQ(lone->line, 1U);
  EXPECT_EQ(lone->column, 3U);
  EXPECT_TRUE(checkText("f", "ab\r"));
  EXPECT_TRUE(checkText("f", llvm::StringRef("\xFF\xFE"
                                             "a\0",
                                             4)));
}

TEST(InQuotes, IsShortAndPrintable) {
  EXPECT_EQ(inQuotes("a b"), "'a b'");
  EXPECT_EQ(inQuotes("a\x1B[1m"), "'a?[1m'");
  EXPECT_LT(inQuotes(std::string(1000, 'x')).size(), 50U);
}

} // namespace
} // namespace plumbline
