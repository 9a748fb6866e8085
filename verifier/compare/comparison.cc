#include "verifier/compare/comparison.h"

#include "verifier/compare/conditions.h"
#include "verifier/compare/judgement.h"
#include "verifier/compare/sentence.h"
#include "verifier/ir/words.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <tuple>

namespace plumbline::compare {
namespace {

using check::Finding;
using check::RuleId;
using check::Severity;
using report::Report;

Change changeOf(Grade grade, Subject subject, std::string what, std::string message) {
  Change change;
  change.grade = grade;
  change.subject = subject;
  change.what = std::move(what);
  change.before = change.after = "-";
  change.message = std::move(message);
  return change;
}

class Comparer {
public:
  // Both are valid; `base` is null where there is nothing to compare with.
  Comparer(const Report *base, const Report &next, const Allowance &allowance, Comparison &result)
      : base_(base), next_(next), allowance_(allowance), result_(result) {}

  void run() {
    result_.figures = base_ ? figuresOf(*base_, next_) : figuresOf(next_);
    compareVerdicts();
    compareFindings();
    for (const std::string &question : next_.verification.undecided)
      result_.changes.push_back(changeOf(Grade::undecided, Subject::question, "open question", question));
    if (!base_)
      return;
    llvm::append_range(result_.changes, judgeConditions(*base_, next_, result_.figures.rooms));
    llvm::append_range(result_.changes, judgeFigures(result_.figures, next_.timeline->costs, allowance_));
  }

private:
  // How bad a verdict is: verified, undecided, rejected.
  static int badness(const Report &report) {
    const int code = report::exitCodeOf(report);
    return code == 0 ? 0 : code == 3 ? 1 : 2;
  }

  void compareVerdicts() {
    const std::string before = base_ ? report::verdictOf(*base_).str() : "-", after = report::verdictOf(next_).str();
    const int now = badness(next_), then = base_ ? badness(*base_) : 0;
    if (before == after || (!base_ && now == 0))
      return;
    const Grade grade = now < then ? (now == 0 ? Grade::better : Grade::neutral)
                        : now == 2 ? Grade::worse
                                   : Grade::undecided;
    Change change = changeOf(grade, Subject::verdict, "verdict",
                             base_ ? "the verdict was " + before + ", now it is " + after
                                   : "there is nothing to compare with, and the verdict is " + after);
    change.before = before;
    change.after = after;
    result_.changes.push_back(std::move(change));
  }

  void compareFindings() {
    static const Program noProgram;
    const llvm::ArrayRef<Finding> before =
        base_ ? llvm::ArrayRef<Finding>(base_->verification.findings) : llvm::ArrayRef<Finding>();
    const llvm::ArrayRef<Finding> after = next_.verification.findings;
    const FindingMatch &match = result_.findings =
        matchFindings(base_ ? base_->program : noProgram, before, next_.program, after);
    Counts added, fixed, moved;
    for (const std::uint32_t k : match.added)
      ++added[{gradeOfNew(after[k]), after[k].severity, after[k].rule}];
    for (const std::uint32_t k : match.fixed)
      ++fixed[{Grade::better, before[k].severity, before[k].rule}];
    for (const FindingPair &pair : match.moved)
      ++moved[{Grade::neutral, after[pair.next].severity, after[pair.next].rule}];
    addFindings(added, "new");
    addFindings(fixed, "fixed");
    addFindings(moved, "moved");
    compareDropped();
  }

  using Counts = std::map<std::tuple<Grade, Severity, RuleId>, std::size_t>;

  // More slots than needed, but not more than before: a smaller need is no fault, and the numbers say it.
  [[nodiscard]] bool isOfSmallerNeed(const Finding &finding) const {
    if (finding.rule != RuleId::too_many_slots || !finding.pool.valid())
      return false;
    const Pool &pool = next_.program.pools[static_cast<std::size_t>(finding.pool.value())];
    const auto figures = llvm::find_if(
        result_.figures.pools, [&](const PoolFigures &f) { return f.rank == pool.rank && f.pool == pool.name; });
    return figures != result_.figures.pools.end() && figures->declared.base.known() &&
           gradeOf(figures->declared, allowance_.buffers) != Grade::worse;
  }

  [[nodiscard]] Grade gradeOfNew(const Finding &finding) const {
    return isOfSmallerNeed(finding) ? Grade::neutral : gradeOfNew(finding.severity);
  }

  [[nodiscard]] Grade gradeOfNew(Severity severity) const {
    if (severity == Severity::error)
      return Grade::worse;
    return !base_ ? Grade::neutral : allowance_.warnings ? Grade::allowed : Grade::worse;
  }

  void addFindings(const Counts &counts, const std::string &kind) {
    for (const auto &[key, count] : counts) {
      const auto &[grade, severity, rule] = key;
      const std::string noun = report::nameOf(severity).str() + (count == 1 ? "" : "s");
      Change change = changeOf(grade, severity == Severity::error ? Subject::error : Subject::warning,
                               kind + " " + noun + " " + report::nameOf(rule),
                               std::to_string(count) + " " + kind + " " + noun + " " + report::nameOf(rule));
      change.count = count;
      (kind == "fixed" ? change.before : change.after) = std::to_string(count);
      if (kind == "moved")
        change.before = change.after;
      result_.changes.push_back(std::move(change));
    }
  }

  // All findings of each rule of which some were not kept in either version.
  void compareDropped() {
    std::map<RuleId, UncomparedRule> rules;
    const auto countIn = [&](const Report *report, std::size_t UncomparedRule::*side) {
      if (!report)
        return;
      for (const auto &dropped : report->verification.dropped)
        rules[dropped.rule].*side += dropped.count;
    };
    countIn(base_, &UncomparedRule::base);
    countIn(&next_, &UncomparedRule::next);
    for (auto &[rule, uncompared] : rules) {
      uncompared.rule = rule;
      judgeDropped(uncompared);
      result_.uncompared.push_back(uncompared);
    }
  }

  // More than before are worse, whichever they are; as many may still be others.
  void judgeDropped(UncomparedRule &uncompared) {
    const bool allKept = uncompared.next == 0;
    Severity severity = Severity::error;
    const auto keptIn = [&](const Report &report) {
      std::size_t kept = 0;
      for (const Finding &finding : report.verification.findings)
        if (finding.rule == uncompared.rule) {
          severity = finding.severity;
          ++kept;
        }
      return kept;
    };
    uncompared.base += base_ ? keptIn(*base_) : 0;
    const std::size_t kept = keptIn(next_);
    uncompared.next += kept;
    if (allKept)
      return; // fewer than before
    const bool more = uncompared.next > uncompared.base;
    Change change = changeOf(more ? gradeOfNew(severity) : Grade::undecided, Subject::question,
                             "findings of " + report::nameOf(uncompared.rule),
                             "of " + std::to_string(uncompared.next) + " findings of " +
                                 report::nameOf(uncompared.rule) + ", " + std::to_string(uncompared.base) +
                                 " before, only the first " + std::to_string(kept) + " were compared one by one");
    change.before = std::to_string(uncompared.base);
    change.after = std::to_string(uncompared.next);
    result_.changes.push_back(std::move(change));
  }

  const Report *base_;
  const Report &next_;
  const Allowance &allowance_;
  Comparison &result_;
};

Outcome outcomeOf(llvm::ArrayRef<Change> changes) {
  const auto has = [&](Grade grade) {
    return llvm::any_of(changes, [&](const Change &c) { return c.grade == grade; });
  };
  return has(Grade::worse) ? Outcome::worse : has(Grade::undecided) ? Outcome::undecided : Outcome::fine;
}

} // namespace

llvm::StringRef name(Outcome outcome) {
  static constexpr const char *names[] = {"not_worse", "undecided", "worse", "unusable"};
  return names[static_cast<std::size_t>(outcome)];
}

Comparison compare(const Report *base, const Report &next, const Allowance &allowance) {
  Comparison result;
  const auto unreadable = [&](const Report &report, Grade grade, const char *which) {
    result.changes.push_back(
        changeOf(grade, Subject::input, "input", std::string(which) + " cannot be read: " + report.invalid->message));
  };
  const bool unusable = next.invalid || (base && base->misused);
  if (base && base->invalid) {
    unreadable(*base, base->misused ? Grade::worse : Grade::neutral, "the base");
    base = nullptr;
  }
  result.alone = !base;
  if (next.invalid)
    unreadable(next, Grade::worse, "the new version");
  if (!unusable)
    Comparer(base, next, allowance, result).run();
  llvm::stable_sort(result.changes, [](const Change &a, const Change &b) {
    return std::make_tuple(a.grade, a.subject) < std::make_tuple(b.grade, b.subject);
  });
  result.outcome = unusable ? Outcome::unusable : outcomeOf(result.changes);
  result.sentence = sentenceOf(result, report::verdictOf(next));
  return result;
}

} // namespace plumbline::compare
