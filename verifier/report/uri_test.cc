#include "verifier/report/uri.h"

#include "gtest/gtest.h"

namespace plumbline::report {
namespace {

TEST(Uri, NamesStayReadable) {
  EXPECT_EQ(uriOf("a.csv"), "a.csv");
  EXPECT_EQ(uriOf("some/folder/1f1b_4-rank~2.csv"), "some/folder/1f1b_4-rank~2.csv");
  EXPECT_EQ(uriOf("/home/x/a.csv"), "file:///home/x/a.csv");
}

TEST(Uri, PartsThatMeanNothingAreLeftOut) {
  EXPECT_EQ(uriOf("./a//b/./c.csv"), "a/b/c.csv");
  EXPECT_EQ(uriOf("//host/a.csv"), "file:///host/a.csv"); // as the system reads it
  EXPECT_EQ(uriOf("../a/../b"), "../a/../b");
  EXPECT_EQ(uriOf("."), ".");
  EXPECT_EQ(uriOf(""), ".");
  EXPECT_EQ(uriOf("/"), "file:///");
}

TEST(Uri, NothingIsTakenForAnotherPartOfAUri) {
  EXPECT_EQ(uriOf("javascript:alert(1)"), "javascript%3Aalert%281%29");
  EXPECT_EQ(uriOf("a?b#c"), "a%3Fb%23c");
  EXPECT_EQ(uriOf("100%.csv"), "100%25.csv");
  EXPECT_EQ(uriOf("<stdin>"), "%3Cstdin%3E");
  EXPECT_EQ(uriOf("a b\\c\"d'"), "a%20b%5Cc%22d%27");
}

TEST(Uri, AnyBytes) {
  EXPECT_EQ(uriOf("\xc3\xbc"), "%C3%BC");
  EXPECT_EQ(uriOf("\xff\n\x01\x7f"), "%FF%0A%01%7F");
  EXPECT_EQ(uriOf(llvm::StringRef("a\0b", 3)), "a%00b");
}

} // namespace
} // namespace plumbline::report
