#include "tests/differential/random_groups.h"

#include <algorithm>

namespace plumbline::oracle {
namespace {

enum class Sort { message, computing, other };

Sort sortOf(const Line &line) {
  if (isPointToPoint(line.instruction.opcode))
    return Sort::message;
  return line.instruction.communicator.valid() ? Sort::other : Sort::computing;
}

bool waitsForOneOf(const Line &line, const std::vector<Line> &lines, std::size_t begin, std::size_t end) {
  for (std::size_t k = begin; k < end; ++k)
    if (std::find(line.waits.begin(), line.waits.end(), lines[k].key) != line.waits.end())
      return true;
  return false;
}

} // namespace

void exchangeNeighbours(Draft &draft, Random &random, int count) {
  for (int n = 0; n < count; ++n) {
    std::vector<Line> &lines =
        draft.ranks[static_cast<std::size_t>(random.below(static_cast<int>(draft.ranks.size())))];
    if (lines.size() < 2)
      continue;
    const auto at = static_cast<std::size_t>(random.below(static_cast<int>(lines.size()) - 1));
    std::swap(lines[at], lines[at + 1]);
    std::erase(lines[at].waits, lines[at + 1].key);
  }
}

void groupLines(Draft &draft, Random &random, bool mixed) {
  const int messages = random.pickOf({40, 90, 100}); // percent of runs
  const int computing = random.pickOf({0, 0, 20});
  for (std::vector<Line> &lines : draft.ranks)
    for (std::size_t begin = 0, end = 0; begin < lines.size(); begin = end) {
      const Sort sort = sortOf(lines[begin]);
      const bool mix = mixed && random.chance(10);
      const auto longest = static_cast<std::size_t>(sort == Sort::message ? random.between(1, 6) : 2);
      end = begin + 1;
      while (end < lines.size() && end - begin < longest && (mix || sortOf(lines[end]) == sort) &&
             sortOf(lines[end]) != Sort::other && !waitsForOneOf(lines[end], lines, begin, end))
        ++end;
      const int percent = sort == Sort::message ? messages : sort == Sort::computing ? computing : 0;
      if (!random.chance(percent))
        continue;
      const GroupId group(draft.header.groupCount++);
      for (std::size_t k = begin; k < end; ++k)
        lines[k].instruction.group = group;
    }
}

} // namespace plumbline::oracle
