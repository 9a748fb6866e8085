#include "verifier/frontend/schedule_size.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <utility>

namespace plumbline::frontend {
namespace {

using Pair = std::pair<std::int32_t, std::int32_t>; // stage, microbatch

template <typename Predicate> std::vector<Pair> distinctPairs(const Schedule &schedule, Predicate predicate) {
  std::vector<Pair> pairs;
  for (const std::vector<Action> &row : schedule.ranks)
    for (const Action &action : row)
      if (action.stage.valid() && action.microbatch.valid() && predicate(action.opcode))
        pairs.emplace_back(action.stage.value(), action.microbatch.value());
  llvm::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

std::int32_t mostFrequentCount(const std::vector<Pair> &pairs) {
  std::map<std::int32_t, std::int32_t> stagesWithCount;
  for (auto first = pairs.begin(); first != pairs.end();) {
    const auto last = std::find_if(first, pairs.end(), [&](const Pair &p) { return p.first != first->first; });
    ++stagesWithCount[static_cast<std::int32_t>(last - first)];
    first = last;
  }
  std::int32_t count = 0, most = 0;
  for (const auto &[candidate, stages] : stagesWithCount)
    if (stages >= most) {
      count = candidate;
      most = stages;
    }
  return count;
}

} // namespace

std::int32_t countStages(const Schedule &schedule) {
  std::int32_t highest = -1;
  for (const std::vector<Action> &row : schedule.ranks)
    for (const Action &action : row)
      highest = std::max(highest, action.stage.value());
  return highest + 1;
}

std::int32_t countMicrobatches(const Schedule &schedule) {
  const std::int32_t forwards =
      mostFrequentCount(distinctPairs(schedule, [](Opcode o) { return o == Opcode::forward; }));
  return forwards > 0 ? forwards : mostFrequentCount(distinctPairs(schedule, [](Opcode) { return true; }));
}

Mode modeOf(const Schedule &schedule) {
  const bool backward = llvm::any_of(schedule.ranks, [](const std::vector<Action> &row) {
    return llvm::any_of(row, [](const Action &action) { return isBackward(action.opcode); });
  });
  return backward ? Mode::training : Mode::inference;
}

} // namespace plumbline::frontend
