#include "verifier/check/finding.h"

#include "llvm/ADT/STLExtras.h"

namespace plumbline::check {

bool Findings::wanted(RuleId rule) const {
  const auto count = keptOf_.find(rule);
  return (count == keptOf_.end() ? 0 : count->second) < limit_;
}

void Findings::add(Finding finding) {
  anyError |= finding.severity == Severity::error;
  if (!wanted(finding.rule)) {
    count(finding.rule);
    return;
  }
  ++keptOf_[finding.rule];
  kept.push_back(std::move(finding));
}

void Findings::count(RuleId rule) {
  const auto entry = llvm::find_if(dropped, [&](const Dropped &d) { return d.rule == rule; });
  if (entry == dropped.end())
    dropped.push_back({rule, 1});
  else
    ++entry->count;
}

} // namespace plumbline::check
