#include "verifier/smt/windows.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"

namespace plumbline::smt {
namespace {

// A fingerprint of each level: how its events hang on earlier ones, relative to the level. Only used to find the
// period; a wrong guess costs time, never soundness, as Session compares whole questions.
std::vector<std::size_t> fingerprints(const OrderedSystem &system) {
  const std::size_t levels = system.levelStarts.size() - 1;
  std::vector<std::uint32_t> levelOf(system.offsets.size() - 1);
  for (std::size_t l = 0; l < levels; ++l)
    std::fill(levelOf.begin() + system.levelStarts[l], levelOf.begin() + system.levelStarts[l + 1],
              static_cast<std::uint32_t>(l));
  std::vector<std::size_t> result;
  result.reserve(levels);
  for (std::size_t l = 0; l < levels; ++l) {
    std::size_t print = system.levelStarts[l + 1] - system.levelStarts[l];
    for (std::uint32_t e = system.levelStarts[l]; e < system.levelStarts[l + 1]; ++e)
      for (std::uint32_t k = system.offsets[e]; k < system.offsets[e + 1]; ++k) {
        const Constraint &c = system.constraints[k];
        const std::uint32_t from = levelOf[c.from];
        print =
            llvm::hash_combine(print, e - system.levelStarts[l], l - from, c.from - system.levelStarts[from], c.strict);
      }
    result.push_back(print);
  }
  return result;
}

// Smallest period of the middle half of the sequence (Knuth, Morris and Pratt's failure function); 0 if it has none
// of at most half its length.
std::size_t periodOf(llvm::ArrayRef<std::size_t> prints) {
  const llvm::ArrayRef<std::size_t> middle = prints.slice(prints.size() / 4, prints.size() / 2);
  std::vector<std::size_t> border(middle.size() + 1, 0);
  for (std::size_t i = 1, k = 0; i < middle.size(); ++i) {
    while (k > 0 && middle[i] != middle[k])
      k = border[k];
    if (middle[i] == middle[k])
      ++k;
    border[i + 1] = k;
  }
  const std::size_t period = middle.size() - border[middle.size()];
  return period * 2 <= middle.size() ? period : 0;
}

} // namespace

std::vector<std::uint32_t> chooseWindows(const OrderedSystem &system) {
  constexpr std::uint32_t leastEvents = 256, mostEvents = 1024;
  const std::size_t levels = system.levelStarts.size() - 1;
  const std::uint32_t events = system.levelStarts.back();
  std::vector<std::uint32_t> starts = {0};
  if (events > mostEvents) {
    const std::size_t period = periodOf(fingerprints(system));
    // Levels per window where the period serves: the fewest whole periods that hold enough events.
    const std::size_t perLevel = std::max<std::size_t>(1, events / levels);
    const std::size_t width = period ? period * std::max<std::size_t>(1, leastEvents / (perLevel * period)) : 0;
    const bool periodic = width && width * perLevel <= 4 * std::size_t{mostEvents};
    for (std::size_t l = 1; l < levels; ++l) {
      const bool cut = periodic ? l % width == 0 : system.levelStarts[l + 1] - starts.back() > mostEvents;
      if (cut && system.levelStarts[l] > starts.back())
        starts.push_back(system.levelStarts[l]);
    }
  }
  if (events > 0)
    starts.push_back(events);
  return starts;
}

Query window(const OrderedSystem &system, std::uint32_t first, std::uint32_t last) {
  Query query;
  query.events = last - first;
  for (std::uint32_t k = system.offsets[first]; k < system.offsets[last]; ++k) {
    const Constraint &c = system.constraints[k];
    if (c.from >= first)
      query.constraints.push_back({c.from - first, c.to - first, c.strict});
  }
  return query;
}

} // namespace plumbline::smt
