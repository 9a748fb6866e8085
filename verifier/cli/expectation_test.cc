#include "verifier/cli/expectation.h"

#include "gtest/gtest.h"

namespace plumbline::cli {
namespace {

using check::RuleId;

report::Report reportOf(check::Verdict verdict, const std::vector<RuleId> &errors = {}) {
  report::Report report;
  report.file = "a.csv";
  report.verification.verdict = verdict;
  for (const RuleId rule : errors) {
    check::Finding finding;
    finding.rule = rule;
    report.verification.findings.push_back(finding);
  }
  return report;
}

report::Report invalid() {
  report::Report report;
  report.file = "b.csv";
  report.invalid = Diagnostic{"b.csv", 1, 1, "expected something else"};
  return report;
}

const std::vector<RuleId> two = {RuleId::too_few_slots, RuleId::overwritten, RuleId::overwritten};

Expectation expectationOf(const std::string &text) {
  std::optional<Expectation> expectation;
  EXPECT_EQ(readExpectation(text, expectation), "") << text;
  return expectation.value_or(Expectation());
}

std::string sentence(const std::string &what, const report::Report &report) {
  return compare(expectationOf(what), report).sentence;
}

bool met(const std::string &what, const report::Report &report) { return compare(expectationOf(what), report).met; }

TEST(Expectation, IsReadFromWords) {
  EXPECT_EQ(expectationOf("undecided").verdict, "undecided");
  EXPECT_TRUE(expectationOf("undecided").rules.empty());
  for (const char *list : {"PL501,PL401", "401,pl501", "PL401, PL501,PL401"})
    EXPECT_EQ(expectationOf(list).rules, (std::vector<RuleId>{RuleId::overwritten, RuleId::too_few_slots})) << list;
  for (const char *wrong : {"", "good", "PL999", "PL401,", ",", "verified,PL401", "PL4", "Verified", "PL401;PL501"}) {
    std::optional<Expectation> expectation;
    EXPECT_NE(readExpectation(wrong, expectation), "") << wrong;
    EXPECT_FALSE(expectation) << wrong;
  }
}

TEST(Expectation, OfAVerdict) {
  EXPECT_TRUE(met("verified", reportOf(check::Verdict::verified)));
  EXPECT_TRUE(met("rejected", reportOf(check::Verdict::rejected, two)));
  EXPECT_TRUE(met("undecided", reportOf(check::Verdict::undecided)));
  EXPECT_TRUE(met("invalid", invalid()));
  EXPECT_FALSE(met("verified", reportOf(check::Verdict::undecided)));
  EXPECT_FALSE(met("rejected", invalid()));
  EXPECT_FALSE(met("invalid", reportOf(check::Verdict::verified)));
  EXPECT_EQ(sentence("verified", reportOf(check::Verdict::rejected, two)),
            "expected verified, got rejected (PL401 and PL501)");
  EXPECT_EQ(sentence("rejected", invalid()), "expected rejected, got invalid");
}

TEST(Expectation, OfRulesIsExact) {
  EXPECT_TRUE(met("PL401,PL501", reportOf(check::Verdict::rejected, two)));
  EXPECT_FALSE(met("PL401", reportOf(check::Verdict::rejected, two)));
  EXPECT_FALSE(met("PL401,PL501,PL301", reportOf(check::Verdict::rejected, two)));
  EXPECT_FALSE(met("PL401", reportOf(check::Verdict::verified)));
  EXPECT_EQ(sentence("PL401", reportOf(check::Verdict::rejected, two)), "expected PL401, got PL401 and PL501");
  EXPECT_EQ(sentence("PL101,PL102,PL103", reportOf(check::Verdict::verified)),
            "expected PL101, PL102 and PL103, got verified");
}

TEST(Expectation, WarningsAreNoErrors) {
  report::Report report = reportOf(check::Verdict::rejected, two);
  report.verification.findings[0].severity = check::Severity::warning;
  EXPECT_TRUE(met("PL401", report));
}

TEST(Outcome, WithoutAnExpectationTheWorstCodeCounts) {
  Outcome outcome(std::nullopt);
  EXPECT_FALSE(outcome.add(reportOf(check::Verdict::undecided)));
  EXPECT_EQ(outcome.exitCode(), 3);
  outcome.add(reportOf(check::Verdict::rejected, two));
  EXPECT_EQ(outcome.exitCode(), 1);
  outcome.add(invalid());
  EXPECT_EQ(outcome.exitCode(), 2);
  EXPECT_EQ(outcome.lastLine(), "");
}

TEST(Outcome, EveryFileMustBeAsExpected) {
  Outcome outcome(expectationOf("PL401,PL501"));
  EXPECT_TRUE(outcome.add(reportOf(check::Verdict::rejected, two))->met);
  EXPECT_EQ(outcome.exitCode(), 0);
  EXPECT_EQ(outcome.lastLine(), "");
  EXPECT_FALSE(outcome.add(invalid())->met);
  EXPECT_EQ(outcome.exitCode(), 1);
  EXPECT_EQ(outcome.lastLine(), "expected PL401 and PL501, got invalid for b.csv");
  outcome.add(reportOf(check::Verdict::verified));
  EXPECT_EQ(outcome.lastLine(), "expected PL401 and PL501, got invalid for b.csv; 2 of 3 files are not as expected");
}

TEST(Outcome, OptionsThatDoNotFitTheFileAreNeverExpected) {
  Outcome outcome(expectationOf("invalid"));
  EXPECT_TRUE(outcome.add(invalid())->met);
  report::Report misused = invalid();
  misused.misused = true;
  const std::optional<report::Expected> expected = outcome.add(misused);
  ASSERT_TRUE(expected);
  EXPECT_FALSE(expected->met);
  EXPECT_EQ(expected->sentence, "expected invalid, got a command line that does not fit the file");
  EXPECT_EQ(outcome.exitCode(), 2);
}

} // namespace
} // namespace plumbline::cli
