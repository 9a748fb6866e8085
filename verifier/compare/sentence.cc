#include "verifier/compare/sentence.h"

#include "llvm/ADT/STLExtras.h"

#include <optional>

namespace plumbline::compare {
namespace {

struct Phrase {
  const char *one, *many; // after their number
};

struct Phrases {
  Subject subject;
  Phrase more, fewer;
};

constexpr Phrases phrases[] = {
    {Subject::error, {"new error", "new errors"}, {"error fixed", "errors fixed"}},
    {Subject::warning, {"new warning", "new warnings"}, {"warning fixed", "warnings fixed"}},
    {Subject::least_slots,
     {"pool needs more slots", "pools need more slots"},
     {"pool needs fewer slots", "pools need fewer slots"}},
    {Subject::declared_slots,
     {"pool declares more slots", "pools declare more slots"},
     {"pool declares fewer slots", "pools declare fewer slots"}},
    {Subject::in_flight,
     {"rank has more in flight", "ranks have more in flight"},
     {"rank has fewer in flight", "ranks have fewer in flight"}},
};

// "2 new errors, 1 pool needs more slots, a larger bubble"; empty if nothing has the grade.
std::string listOf(llvm::ArrayRef<Change> changes, Grade grade) {
  std::string text;
  const auto add = [&](const std::string &part) { text += (text.empty() ? "" : ", ") + part; };
  const bool better = grade == Grade::better;
  for (const Phrases &row : phrases) {
    std::size_t count = 0;
    for (const Change &change : changes)
      if (change.grade == grade && change.subject == row.subject)
        count += change.count;
    const Phrase &phrase = better ? row.fewer : row.more;
    if (count > 0)
      add(std::to_string(count) + " " + (count == 1 ? phrase.one : phrase.many));
  }
  const auto has = [&](Subject subject) {
    return llvm::any_of(changes, [&](const Change &c) { return c.grade == grade && c.subject == subject; });
  };
  if (has(Subject::mode))
    add("a mode that asks for less");
  if (has(Subject::bubble))
    add(better ? "a smaller bubble" : "a larger bubble");
  if (has(Subject::makespan))
    add(better ? "a shorter step" : "a longer step");
  return text;
}

// The last words about a version that is not verified.
std::string verdictText(const Comparison &comparison, llvm::StringRef verdict) {
  const auto change = llvm::find_if(comparison.changes, [](const Change &c) { return c.subject == Subject::verdict; });
  if (change != comparison.changes.end())
    return change->before + " before, now " + change->after;
  if (verdict == "verified")
    return comparison.alone ? "verified" : "";
  return comparison.alone ? verdict.str() : "still " + verdict.str();
}

} // namespace

std::string sentenceOf(const Comparison &comparison, llvm::StringRef verdict) {
  if (comparison.outcome == Outcome::unusable)
    return "unusable: nothing can be said, since a version cannot be judged";
  const std::string worse = listOf(comparison.changes, Grade::worse);
  const std::string allowed = listOf(comparison.changes, Grade::allowed);
  const std::string better = listOf(comparison.changes, Grade::better);
  const auto open = llvm::count_if(comparison.changes, [](const Change &c) { return c.grade == Grade::undecided; });
  const bool onlyBetter = comparison.outcome == Outcome::fine && allowed.empty() && !better.empty();
  std::string text = comparison.outcome == Outcome::worse       ? "worse"
                     : comparison.outcome == Outcome::undecided ? "undecided"
                     : onlyBetter                               ? "better"
                                                                : "not worse";
  const char *separator = ": ";
  const auto add = [&](const std::string &part) {
    if (part.empty())
      return;
    text += separator + part;
    separator = "; ";
  };
  add(worse);
  add(open == 0 ? "" : std::to_string(open) + (open == 1 ? " thing is not known" : " things are not known"));
  add(allowed.empty() ? "" : "allowed: " + allowed);
  add(onlyBetter || better.empty() ? better : "better: " + better);
  add(verdictText(comparison, verdict));
  return text;
}

} // namespace plumbline::compare
