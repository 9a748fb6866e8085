#include "verifier/cli/expectation.h"

#include "verifier/cli/exit_code.h"
#include "verifier/report/excerpt.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace plumbline::cli {
namespace {

constexpr const char *verdicts[] = {"verified", "rejected", "undecided", "invalid"};

// "PL401", "PL401 and PL501", "PL401, PL402 and PL501"
std::string listed(llvm::ArrayRef<check::RuleId> rules) {
  std::string text;
  for (std::size_t k = 0; k < rules.size(); ++k)
    text += (k == 0 ? "" : k + 1 == rules.size() ? " and " : ", ") + report::nameOf(rules[k]);
  return text;
}

std::string wanted(const Expectation &expectation) {
  return expectation.rules.empty() ? expectation.verdict : listed(expectation.rules);
}

// What came, in the words of what was expected.
std::string got(const Expectation &expectation, const report::Report &report) {
  if (report.misused)
    return "a command line that does not fit the file";
  std::string verdict = report::verdictOf(report).str();
  if (verdict != "rejected")
    return verdict;
  const std::string rules = listed(report::brokenRules(report));
  return expectation.rules.empty() ? verdict + " (" + rules + ")" : rules;
}

} // namespace

std::string readExpectation(llvm::StringRef text, std::optional<Expectation> &result) {
  Expectation expectation;
  if (llvm::is_contained(verdicts, text)) {
    expectation.verdict = text.str();
    result = expectation;
    return "";
  }
  expectation.verdict = "rejected";
  llvm::SmallVector<llvm::StringRef, 8> names;
  text.split(names, ',');
  for (const llvm::StringRef name : names) {
    const check::Rule *rule = check::findRuleNamed(name.trim());
    if (!rule)
      return "--expect takes verified, rejected, undecided, invalid, or rules such as PL401,PL501; '" + name.str() +
             "' is none of them (`plumbline rules` lists the rules)";
    expectation.rules.push_back(rule->id);
  }
  llvm::sort(expectation.rules);
  expectation.rules.erase(std::unique(expectation.rules.begin(), expectation.rules.end()), expectation.rules.end());
  result = expectation;
  return "";
}

report::Expected compare(const Expectation &expectation, const report::Report &report) {
  report::Expected expected;
  expected.met = !report.misused && report::verdictOf(report) == expectation.verdict &&
                 (expectation.rules.empty() || report::brokenRules(report) == expectation.rules);
  expected.sentence = "expected " + wanted(expectation) + ", got " + got(expectation, report);
  expected.invalid = expectation.verdict == "invalid";
  expected.undecided = expectation.verdict == "undecided";
  expected.rules = expectation.rules;
  return expected;
}

std::optional<report::Expected> Outcome::add(const report::Report &report) {
  ++files_;
  misused_ |= report.misused;
  code_ = worse(code_, report::exitCodeOf(report));
  if (!expectation_)
    return std::nullopt;
  report::Expected expected = compare(*expectation_, report);
  if (!expected.met && unexpected_++ == 0) {
    firstFile_ = report.file;
    firstSentence_ = expected.sentence;
  }
  return expected;
}

int Outcome::exitCode() const {
  if (!expectation_ || misused_)
    return code_;
  return unexpected_ == 0 ? verifiedCode : rejectedCode;
}

std::string Outcome::lastLine() const {
  if (unexpected_ == 0)
    return "";
  std::string line = firstSentence_;
  if (files_ > 1)
    line += " for " + report::printable(firstFile_);
  if (unexpected_ > 1)
    line += "; " + std::to_string(unexpected_) + " of " + std::to_string(files_) + " files are not as expected";
  return line;
}

} // namespace plumbline::cli
