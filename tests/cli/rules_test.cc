// The examples that `plumbline rules` shows: the failing one breaks its rule, the passing one is verified.
#include "tests/judging/judging.h"

#include "verifier/check/rule.h"

#include "llvm/ADT/STLExtras.h"

#include "gtest/gtest.h"

#include <set>

namespace plumbline {
namespace {

report::Report judgeExample(const check::Rule &rule, const char *text) {
  return cli::judgeText("example", text, testing::settingsOf(rule.arguments));
}

bool breaks(const report::Report &report, check::RuleId rule) {
  return llvm::any_of(report.verification.findings, [&](const check::Finding &f) { return f.rule == rule; });
}

class Rule : public ::testing::TestWithParam<check::Rule> {};

TEST_P(Rule, FailingExampleBreaksIt) {
  const check::Rule &rule = GetParam();
  const report::Report report = judgeExample(rule, rule.failing);
  EXPECT_TRUE(breaks(report, rule.id)) << testing::textOf(report);
  for (const check::Finding &f : report.verification.findings) {
    EXPECT_TRUE(f.rule != rule.id || f.location.valid() || f.instruction.valid()) << f.message;
  }
}

TEST_P(Rule, FailingExampleIsRejectedUnlessItOnlyWarns) {
  const check::Rule &rule = GetParam();
  const bool warns = llvm::StringRef(rule.meaning).contains("A warning.");
  EXPECT_EQ(report::verdictOf(judgeExample(rule, rule.failing)), warns ? "verified" : "rejected");
}

TEST_P(Rule, PassingExampleIsVerifiedAndDoesNotBreakIt) {
  const check::Rule &rule = GetParam();
  const report::Report report = judgeExample(rule, rule.passing);
  EXPECT_EQ(report::verdictOf(report), "verified") << testing::textOf(report);
  EXPECT_FALSE(breaks(report, rule.id)) << testing::textOf(report);
}

TEST_P(Rule, SaysWhatItMeansAndWhatToDo) {
  const check::Rule &rule = GetParam();
  for (const char *text : {rule.title, rule.meaning, rule.remedy})
    EXPECT_GT(llvm::StringRef(text).size(), 10U);
  EXPECT_NE(llvm::StringRef(rule.failing), llvm::StringRef(rule.passing));
}

std::string ruleName(const ::testing::TestParamInfo<check::Rule> &info) { return report::nameOf(info.param.id); }

INSTANTIATE_TEST_SUITE_P(All, Rule, ::testing::ValuesIn(check::rules().begin(), check::rules().end()), ruleName);

TEST(Rules, AreInOrderAndEachHasItsOwnNumber) {
  EXPECT_TRUE(llvm::is_sorted(check::rules(), [](const auto &a, const auto &b) { return a.id < b.id; }));
  std::set<std::string> names;
  for (const check::Rule &rule : check::rules())
    EXPECT_TRUE(names.insert(report::nameOf(rule.id)).second);
}

} // namespace
} // namespace plumbline
