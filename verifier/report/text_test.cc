#include "verifier/report/excerpt.h"
#include "verifier/report/text.h"

#include "gtest/gtest.h"

namespace plumbline::report {
namespace {

std::string excerpt(const std::string &text, std::uint32_t line, std::uint32_t column, unsigned width = 80) {
  std::string out;
  llvm::raw_string_ostream stream(out);
  printExcerpt(text, line, column, width, stream);
  return out;
}

TEST(Excerpt, PointsAtTheColumn) {
  EXPECT_EQ(excerpt("0F0,0B0\n1F0,1B0\n", 2, 5), "    2 | 1F0,1B0\n      |     ^\n");
  EXPECT_EQ(excerpt("a\r\nb", 2, 1), "    2 | b\n      | ^\n");
  EXPECT_EQ(excerpt("one line", 3, 1), "");
  EXPECT_EQ(excerpt("x", 0, 0), "");
}

TEST(Excerpt, CutsLongLinesAroundTheColumn) {
  std::string row;
  for (int m = 0; m < 1000; ++m)
    row += "0F" + std::to_string(m) + ",";
  const std::string shown = excerpt(row, 1, static_cast<std::uint32_t>(row.find("0F500") + 1));
  EXPECT_NE(shown.find("0F500"), std::string::npos);
  for (std::size_t from = 0; from < shown.size();) {
    const std::size_t end = shown.find('\n', from);
    EXPECT_LE(end - from, 80U);
    from = end + 1;
  }
  const std::size_t caret = shown.rfind('^') - shown.find('\n') - 1;
  EXPECT_EQ(shown.substr(caret, 5), "0F500");
}

TEST(Excerpt, LetsNoControlCharactersThrough) {
  const std::string hostile = std::string("\x1b[31mred\x07\t") + '\0' + "\xff";
  for (const char c : excerpt(hostile, 1, 3))
    EXPECT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7f)) << static_cast<int>(c);
  EXPECT_EQ(printable("a\nb\x1b"), "a?b?");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m\x9b\xe2\x80\xae.\xe2\x80\xa8\xc2\xa0\xef\xbb\xbf"),
            "?31m??.???");
  EXPECT_EQ(printable("\xc3\xbc \xe6\xbc\xa2 \xf0\x9f\x98\x80"), "\xc3\xbc \xe6\xbc\xa2 \xf0\x9f\x98\x80");
  EXPECT_EQ(printable("\xed\xa0\x80\xc0\xaf\xf0"), "??????");
}

TEST(Text, InvalidInputHasPlaceAndVerdict) {
  Report report;
  report.file = "bad.csv";
  report.invalid = Diagnostic{"bad.csv", 1, 2, "expected a cell"};
  report.texts["bad.csv"] = "0Q0\n";
  std::string out;
  llvm::raw_string_ostream stream(out);
  printText(report, TextStyle(), stream);
  EXPECT_EQ(out, "bad.csv:1:2: error: expected a cell\n    1 | 0Q0\n      |  ^\n"
                 "bad.csv: invalid: nothing was judged\n");
}

} // namespace
} // namespace plumbline::report
