#include "verifier/report/source_lines.h"

#include "gtest/gtest.h"

namespace plumbline::report {
namespace {

std::string shown(const std::optional<SourceRegion> &region) {
  return region ? std::to_string(region->line) + ":" + std::to_string(region->column) + "-" +
                      std::to_string(region->end) + " " + region->text
                : "nothing";
}

std::string at(llvm::StringRef text, std::uint32_t line, std::uint32_t column, llvm::StringRef word = "") {
  return shown(SourceLines(text).regionAt(line, column, word));
}

TEST(SourceLines, AWordOrTheRestOfTheLine) {
  EXPECT_EQ(at("0F0,0B0\r\n1F0,1B0\r\n", 2, 1, "1F0"), "2:1-4 1F0");
  EXPECT_EQ(at("0F0,0B0\r\n1F0,1B0\r\n", 1, 5, "0X0"), "1:5-8 0B0");
  EXPECT_EQ(at("0F0,0B0", 1, 2), "1:2-8 F0,0B0");
}

TEST(SourceLines, TheEndOfALineIsAPlace) {
  EXPECT_EQ(at("ab\n", 1, 3), "1:3-3 ");
  EXPECT_EQ(at("ab\n\ncd", 2, 1), "2:1-1 ");
  EXPECT_EQ(at("ab\n", 1, 4), "nothing");
  EXPECT_EQ(at("ab\n", 2, 1), "nothing");
  EXPECT_EQ(at("ab\n", 0, 0), "nothing");
  EXPECT_EQ(at("ab\n", 1, 0), "nothing");
  EXPECT_EQ(at("", 1, 1), "nothing");
}

TEST(SourceLines, ColumnsCountCodeUnits) {
  EXPECT_EQ(at("\xc3\xbc,x", 1, 4), "1:3-4 x");         // two bytes, one unit
  EXPECT_EQ(at("\xe2\x82\xac,x", 1, 5), "1:3-4 x");     // three bytes, one unit
  EXPECT_EQ(at("\xf0\x9f\x98\x80,x", 1, 6), "1:4-5 x"); // four bytes, two units
  EXPECT_EQ(at("x\xf0\x9f\x98\x80", 1, 2), "1:2-4 \xf0\x9f\x98\x80");
}

TEST(SourceLines, WhatIsNotUtf8IsReplaced) {
  EXPECT_EQ(at("\xff\xfe,x", 1, 4), "1:4-5 x");
  EXPECT_EQ(at("x\xff", 1, 2), "1:2-3 \xef\xbf\xbd");
}

TEST(SourceLines, AByteOrderMarkCountsNothing) {
  EXPECT_EQ(at("\xef\xbb\xbf"
               "0F0,0B0\n",
               1, 4, "0F0"),
            "1:1-4 0F0");
  EXPECT_EQ(at("\xef\xbb\xbf"
               "0F0,0B0\n",
               1, 1),
            "1:1-8 0F0,0B0");
  EXPECT_EQ(at("a\n\xef\xbb\xbf"
               "b\n",
               2, 4),
            "2:2-3 b"); // elsewhere it is a character
}

} // namespace
} // namespace plumbline::report
