#include "verifier/check/finding.h"

#include "llvm/ADT/STLExtras.h"

namespace plumbline::check {

std::size_t Findings::keptOf(RuleId rule) const {
  return static_cast<std::size_t>(llvm::count_if(kept, [&](const Finding &f) { return f.rule == rule; }));
}

bool Findings::wanted(RuleId rule) const { return keptOf(rule) < limit_; }

void Findings::add(Finding finding) {
  anyError |= finding.severity == Severity::error;
  if (wanted(finding.rule))
    kept.push_back(std::move(finding));
  else
    count(finding.rule);
}

void Findings::count(RuleId rule) {
  const auto entry = llvm::find_if(dropped, [&](const Dropped &d) { return d.rule == rule; });
  if (entry == dropped.end())
    dropped.push_back({rule, 1});
  else
    ++entry->count;
}

} // namespace plumbline::check
