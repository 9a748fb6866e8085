#include "verifier/report/markdown.h"

#include "gtest/gtest.h"

namespace plumbline::report {
namespace {

TEST(Markdown, KeepsPlainText) {
  EXPECT_EQ(codeSpan("a.csv"), "` a.csv `");
  EXPECT_EQ(codeSpan("\u00fcber"), "` \u00fcber `");
}

TEST(Markdown, FenceIsLongerThanAnyInside) {
  EXPECT_EQ(codeSpan("a`b"), "`` a`b ``");
  EXPECT_EQ(codeSpan("``"), "``` `` ```");
  EXPECT_EQ(codeBlock("a\n```\nb\n"), "````text\na\n```\nb\n````\n");
}

TEST(Markdown, StaysOnOneLineOfATable) { EXPECT_EQ(codeSpan("a|b\nc\r\td\\|e"), "` a\u00a6b?c??d\\\u00a6e `"); }

TEST(Markdown, ShowsWhatCannotBeSeen) {
  EXPECT_EQ(codeSpan("a\u202eb\u200bc\u0085d\U000e0041\x1b\x7f"), "` a?b?c?d??? `");
  EXPECT_EQ(codeSpan("a\xff"), "` a? `");
  EXPECT_EQ(codeSpan("\ufe0f\u3164\u2800\u00a0\u3000\u2066\u2069\u061c\u034f"), "` ????????? `");
  EXPECT_EQ(codeBlock("a\u202e\n\n\u3000\r\n"), "```text\na?\n\n??\n```\n");
}

TEST(Markdown, NeverVanishes) {
  EXPECT_EQ(codeSpan(""), "(empty)");
  EXPECT_EQ(codeSpan("  "), "`  `");
}

TEST(Markdown, CutsBetweenCharacters) {
  EXPECT_EQ(codeSpan("abcdef", 3), "` abc\u2026 `");
  EXPECT_EQ(codeSpan("a\u00fc\u00fc", 2), "` a\u2026 `");
  EXPECT_EQ(codeSpan("abc", 3), "` abc `");
}

} // namespace
} // namespace plumbline::report
