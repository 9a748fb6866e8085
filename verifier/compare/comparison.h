// What became of a schedule: two judged versions, and whether the new one is worse.
#pragma once

#include "verifier/compare/allowance.h"
#include "verifier/compare/change.h"
#include "verifier/compare/figures.h"
#include "verifier/compare/finding_match.h"
#include "verifier/report/report.h"

#include <string>
#include <vector>

namespace plumbline::compare {

// In order of weight, the least first.
enum class Outcome : std::uint8_t {
  fine,      // nothing got worse
  undecided, // nothing is known to have got worse, and something may have
  worse,     // something certainly got worse
  unusable,  // the new version cannot be read
};
// "not_worse", "undecided", "worse", "unusable"
llvm::StringRef name(Outcome outcome);

// A rule with more findings than were kept of it (check::VerifyOptions::findingsPerRule).
struct UncomparedRule {
  check::RuleId rule = check::RuleId::missing_forward;
  std::size_t base = 0, next = 0; // all findings of the rule, those that were not kept included
};

struct Comparison {
  Outcome outcome = Outcome::fine;
  bool alone = false; // there is no base, or it cannot be read: the new version is judged on its own
  FindingMatch findings;
  std::vector<UncomparedRule> uncompared;
  Figures figures;
  std::vector<Change> changes; // by grade, the worst first; of one grade by subject
  // What it all comes to, for people: "worse: 2 new errors, 1 pool needs more slots; ..."
  std::string sentence;
};

// Both judged under the same settings, and with timelines (Settings::timeline) unless they are invalid. `base` is null
// for a file that is new. Where the new version is invalid, nothing but outcome, changes and sentence is set.
//
// Worse are: an outcome that turns to rejected; errors that the base does not have; such warnings, unless they are
// allowed; a mode that asks for less; slots beyond the allowance, of a pool of a rank, needed or declared; most in
// flight likewise, if the new version has no pools; a larger bubble, or at equal sizes a longer step, beyond the
// allowance. Open questions of the new version, numbers that only the base has, and assumptions under which less hangs,
// make the outcome undecided unless something is worse. Growth beyond the numbers of a base with errors is no fault of
// a new version without any. A new version that is judged on its own is worse if it has errors. O(n log n).
Comparison compare(const report::Report *base, const report::Report &next, const Allowance &allowance);

} // namespace plumbline::compare
