#include "verifier/report/sarif_rules.h"

#include "gtest/gtest.h"

namespace plumbline::report {
namespace {

TEST(SarifRules, EachStandsAtItsIndex) {
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::json::OStream json(out);
  printSarifRules(json);
  auto parsed = llvm::json::parse(text);
  ASSERT_TRUE(static_cast<bool>(parsed));
  const llvm::json::Array &rules = *parsed->getAsArray();
  std::vector<SarifRule> expected;
  for (const check::Rule &rule : check::rules())
    expected.push_back(sarifRule(rule.id));
  expected.push_back(invalidRule());
  expected.push_back(undecidedRule());
  ASSERT_EQ(rules.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_EQ(expected[k].index, k);
    EXPECT_EQ(rules[k].getAsObject()->getString("id"), llvm::StringRef(expected[k].id));
  }
}

} // namespace
} // namespace plumbline::report
