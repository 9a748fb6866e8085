#include "verifier/compare/finding_match.h"

#include "verifier/check/identity.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <map>
#include <tuple>

namespace plumbline::compare {
namespace {

using check::Finding;

// A warning that becomes an error is a new error.
std::vector<std::string> keysOf(const Program &program, llvm::ArrayRef<Finding> findings) {
  std::vector<std::string> keys = check::identitiesOf(program, findings);
  for (const auto &[k, finding] : llvm::enumerate(findings))
    keys[k] += " severity " + std::to_string(static_cast<int>(finding.severity));
  return keys;
}

// The k-th that is left of a rule and rank goes with the k-th of the other version.
void pairByRuleAndRank(llvm::ArrayRef<Finding> base, llvm::ArrayRef<std::uint32_t> baseLeft,
                       llvm::ArrayRef<Finding> next, llvm::ArrayRef<std::uint32_t> nextLeft, FindingMatch &match) {
  const auto placeOf = [](const Finding &f) { return std::make_tuple(f.rule, f.rank, f.severity); };
  std::map<decltype(placeOf(base.front())), std::vector<std::uint32_t>> waiting;
  for (const std::uint32_t k : llvm::reverse(baseLeft))
    waiting[placeOf(base[k])].push_back(k); // the first one last
  std::vector<bool> taken(base.size());
  for (const std::uint32_t k : nextLeft) {
    std::vector<std::uint32_t> &candidates = waiting[placeOf(next[k])];
    if (candidates.empty()) {
      match.added.push_back(k);
      continue;
    }
    match.moved.push_back({candidates.back(), k});
    taken[candidates.back()] = true;
    candidates.pop_back();
  }
  llvm::copy_if(baseLeft, std::back_inserter(match.fixed), [&](std::uint32_t k) { return !taken[k]; });
}

} // namespace

FindingMatch matchFindings(const Program &base, llvm::ArrayRef<Finding> baseFindings, const Program &next,
                           llvm::ArrayRef<Finding> nextFindings) {
  FindingMatch match;
  llvm::StringMap<std::uint32_t> known;
  for (const auto &[k, key] : llvm::enumerate(keysOf(base, baseFindings)))
    known[key] = static_cast<std::uint32_t>(k);
  std::vector<bool> taken(baseFindings.size());
  std::vector<std::uint32_t> baseLeft, nextLeft;
  for (const auto &[k, key] : llvm::enumerate(keysOf(next, nextFindings))) {
    const auto same = known.find(key);
    if (same == known.end()) {
      nextLeft.push_back(static_cast<std::uint32_t>(k));
      continue;
    }
    taken[same->second] = true;
    match.kept.push_back({same->second, static_cast<std::uint32_t>(k)});
  }
  for (std::uint32_t k = 0; k < taken.size(); ++k)
    if (!taken[k])
      baseLeft.push_back(k);
  pairByRuleAndRank(baseFindings, baseLeft, nextFindings, nextLeft, match);
  return match;
}

} // namespace plumbline::compare
