#include "verifier/compare/pairing.h"

#include "gtest/gtest.h"

namespace plumbline::compare {
namespace {

// "a=b" for a pair, "a==b" where both are equal, "a-" for what was removed and "+b" for what was added.
std::string paired(const std::vector<NamedContent> &base, const std::vector<NamedContent> &next) {
  std::string text;
  for (const FilePair &pair : pairFiles(base, next)) {
    text += text.empty() ? "" : " ";
    if (pair.base)
      text += base[*pair.base].name;
    text += !pair.base ? "+" : !pair.next ? "-" : pair.equal ? "==" : "=";
    if (pair.next)
      text += next[*pair.next].name;
  }
  return text;
}

TEST(Pairing, PairsByName) {
  EXPECT_EQ(paired({{"b", "1"}, {"a", "2"}}, {{"a", "2"}, {"b", "3"}}), "a==a b=b");
  EXPECT_EQ(paired({}, {{"a", "1"}}), "+a");
  EXPECT_EQ(paired({{"a", "1"}}, {}), "a-");
  EXPECT_EQ(paired({}, {}), "");
}

TEST(Pairing, EqualContentsUnderOtherNamesAreRenames) {
  EXPECT_EQ(paired({{"a", "1"}, {"b", "2"}}, {{"c", "2"}, {"d", "3"}}), "a- b==c +d");
  EXPECT_EQ(paired({{"a", "1"}, {"b", "1"}}, {{"d", "1"}, {"c", "1"}, {"e", "1"}}), "a==c b==d +e");
}

TEST(Pairing, AFileThatIsStillThereIsNotRenamed) {
  EXPECT_EQ(paired({{"a", "1"}}, {{"a", "2"}, {"b", "1"}}), "a=a +b");
}

TEST(Pairing, WhatIsNotKnownIsEqualToNothing) {
  EXPECT_EQ(paired({{"a", ""}, {"b", ""}}, {{"a", ""}, {"c", ""}}), "a=a b- +c");
}

} // namespace
} // namespace plumbline::compare
