#include "verifier/lower/parameter_turns.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace plumbline::lower {
namespace {

// PyTorch's max_active_stages.
constexpr std::size_t stagesAhead = 3;

// A stage that soon computes, and the cell that does so first.
struct Soon {
  StageId stage;
  std::size_t cell = 0;
};
using SoonList = llvm::SmallVector<Soon, 4>;

bool contains(const SoonList &list, StageId stage) {
  return llvm::any_of(list, [&](const Soon &soon) { return soon.stage == stage; });
}

// The next distinct stages from `cell` on, given those from the cell behind it on. An overlapped call counts as a
// whole, so there may be more than stagesAhead.
SoonList soonFrom(const std::vector<Action> &row, std::size_t cell, const SoonList &later) {
  SoonList soon;
  for (std::size_t k = cell; k < cellEnd(row, cell); ++k)
    if (!contains(soon, row[k].stage))
      soon.push_back({row[k].stage, cell});
  for (std::size_t k = 0; k < later.size(); ++k) {
    const bool sameCell = k > 0 && later[k].cell == later[k - 1].cell;
    if (soon.size() >= stagesAhead && !sameCell)
      break;
    if (!contains(soon, later[k].stage))
      soon.push_back(later[k]);
  }
  return soon;
}

std::vector<std::size_t> cellsOf(const std::vector<Action> &row) {
  std::vector<std::size_t> cells;
  for (std::size_t k = 0; k < row.size(); k = cellEnd(row, k))
    cells.push_back(k);
  return cells;
}

// Between two cells, stages that are no longer among the next ones are dropped and the new ones gathered.
void addGathers(const std::vector<Action> &row, llvm::ArrayRef<std::size_t> cells, std::vector<std::uint32_t> &turns) {
  SoonList later;
  for (std::size_t c = cells.size(); c-- > 0;) {
    const SoonList soon = soonFrom(row, cells[c], later);
    if (c + 1 < cells.size())
      turns[cells[c + 1]] +=
          static_cast<std::uint32_t>(llvm::count_if(later, [&](const Soon &s) { return !contains(soon, s.stage); }) +
                                     llvm::count_if(soon, [&](const Soon &s) { return !contains(later, s.stage); }));
    if (c == 0)
      turns[cells[0]] += static_cast<std::uint32_t>(soon.size());
    later = soon;
  }
}

void addReductions(const std::vector<Action> &row, llvm::ArrayRef<std::size_t> cells, std::int32_t microbatches,
                   std::vector<std::uint32_t> &turns) {
  llvm::DenseMap<std::int32_t, std::int32_t> backwards; // by stage
  for (std::size_t c = 0; c + 1 < cells.size(); ++c)
    for (std::size_t k = cells[c]; k < cells[c + 1]; ++k) {
      const bool last = row[k].opcode == Opcode::backward || row[k].opcode == Opcode::backward_weight;
      if (last && ++backwards[row[k].stage.value()] == microbatches)
        ++turns[cells[c + 1]];
    }
}

} // namespace

std::size_t cellEnd(const std::vector<Action> &row, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < row.size() && row[begin].group.valid() && row[end].group == row[begin].group)
    ++end;
  return end;
}

std::vector<std::uint32_t> parameterTurns(const std::vector<Action> &row, std::int32_t microbatches) {
  std::vector<std::uint32_t> turns(row.size());
  const auto isPlain = [](const Action &a) { return a.opcode == Opcode::forward || isBackward(a.opcode); };
  if (!llvm::all_of(row, isPlain))
    return turns;
  const std::vector<std::size_t> cells = cellsOf(row);
  addGathers(row, cells, turns);
  addReductions(row, cells, microbatches, turns);
  return turns;
}

} // namespace plumbline::lower
