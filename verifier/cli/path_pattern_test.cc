#include "verifier/cli/path_pattern.h"

#include "gtest/gtest.h"

namespace plumbline::cli {
namespace {

TEST(PathPattern, StarsStayWithinAPart) {
  EXPECT_TRUE(matchesPath("*.csv", "a.csv"));
  EXPECT_FALSE(matchesPath("*.csv", "b/a.csv"));
  EXPECT_TRUE(matchesPath("*/a?[0-9].csv", "b/ax7.csv"));
  EXPECT_FALSE(matchesPath("*/a.csv", "a.csv"));
  EXPECT_FALSE(matchesPath("*.csv", ".a.csv"));
  EXPECT_TRUE(matchesPath("./a/*.csv", "a/b.csv"));
}

TEST(PathPattern, TwoStarsStandForAnyNumberOfParts) {
  for (const char *path : {"a.csv", "b/a.csv", "b/c/d/a.csv"})
    EXPECT_TRUE(matchesPath("**/a.csv", path)) << path;
  EXPECT_TRUE(matchesPath("x/**", "x/y/z"));
  EXPECT_TRUE(matchesPath("x/**/z/**/w", "x/a/z/b/z/w"));
  EXPECT_FALSE(matchesPath("x/**/z", "y/z"));
  EXPECT_FALSE(matchesPath("**/a.csv", "b/.git/a.csv"));
}

TEST(PathPattern, ExcludesWhatIsBelow) {
  EXPECT_TRUE(excludesPath("old", "x/old/a.csv"));
  EXPECT_TRUE(excludesPath("old/", "x/old/a.csv"));
  EXPECT_TRUE(excludesPath("*.json", "x/EXPECT.json"));
  EXPECT_TRUE(excludesPath("x/old", "x/old/a.csv"));
  EXPECT_FALSE(excludesPath("x/old", "y/x/old/a.csv"));
  EXPECT_TRUE(excludesPath("**/old", "y/x/old/a.csv"));
  EXPECT_FALSE(excludesPath("old", "x/older/a.csv"));
}

} // namespace
} // namespace plumbline::cli
