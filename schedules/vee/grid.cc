#include "schedules/vee/grid.h"

#include "llvm/ADT/STLExtras.h"

#include <utility>

namespace plumbline::schedules::vee {

Grid::Grid(std::int32_t ranks, std::int32_t microbatches, Backward backward)
    : microbatches_(microbatches), backward_(backward), rows_(static_cast<std::size_t>(ranks)),
      slots_(passesThrough * rows_.size() * static_cast<std::size_t>(microbatches)) {}

std::int32_t Grid::length(std::int32_t rank) const {
  return static_cast<std::int32_t>(rows_[static_cast<std::size_t>(rank)].size());
}

std::int32_t Grid::length() const {
  std::int32_t longest = 0;
  for (std::int32_t rank = 0; rank < ranks(); ++rank)
    longest = std::max(longest, length(rank));
  return longest;
}

void Grid::put(std::int32_t rank, std::int32_t slot, Cell cell) {
  std::vector<Cell> &row = rows_[static_cast<std::size_t>(rank)];
  if (row.size() <= static_cast<std::size_t>(slot))
    row.resize(static_cast<std::size_t>(slot) + 1);
  row[static_cast<std::size_t>(slot)] = cell;
  if (cell.pass < Pass::weight)
    slots_[place(rank, cell)] = slot;
}

void Grid::move(std::int32_t rank, std::int32_t from, std::int32_t to) {
  put(rank, to, at(rank, from));
  put(rank, from, Cell());
}

void Grid::dropWeights() {
  for (std::vector<Cell> &row : rows_) {
    for (Cell &cell : row)
      if (cell.pass == Pass::weight)
        cell = Cell();
    while (!row.empty() && row.back().pass == Pass::none)
      row.pop_back();
  }
}

std::int32_t Grid::endOf(std::int32_t rank, Cell cell) const {
  return slots_[place(rank, cell)] + (backward_ == Backward::full && isBackward(cell.pass) ? 2 : 1);
}

std::int32_t Grid::inputAt(std::int32_t rank, Cell cell) const {
  const std::int32_t sender = senderOf(cell.pass, rank, ranks());
  if (sender != noRank)
    return endOf(sender, cell);
  const Pass turned = before(cell.pass);
  return turned == Pass::none ? 0 : endOf(rank, {turned, cell.microbatch});
}

std::int32_t Grid::earliest(std::int32_t rank, Cell cell) const {
  const std::int32_t input = inputAt(rank, cell);
  return cell.microbatch == 0 ? input : std::max(input, endOf(rank, {cell.pass, cell.microbatch - 1}));
}

std::int32_t Grid::firstFree(std::int32_t rank, std::int32_t from, std::int32_t until) const {
  while (from < until && at(rank, from).pass != Pass::none)
    ++from;
  return from;
}

Grid repeat(const Block &block, std::int32_t microbatches, Grid::Backward backward) {
  Grid grid(static_cast<std::int32_t>(block.size()), microbatches, backward);
  for (std::int32_t rank = 0; rank < grid.ranks(); ++rank)
    for (const auto &[pass, first] : llvm::enumerate(block[static_cast<std::size_t>(rank)]))
      for (std::int32_t m = 0; m < microbatches; ++m) {
        const std::int32_t slot = first + interval * m;
        grid.put(rank, slot, {static_cast<Pass>(pass), m});
        if (backward == Grid::Backward::full && isBackward(static_cast<Pass>(pass)))
          grid.put(rank, slot + 1, {Pass::weight, m});
      }
  return grid;
}

Held::Held(const Grid &grid) {
  for (std::int32_t rank = 0; rank < grid.ranks(); ++rank) {
    std::vector<std::int32_t> &row = bySlot_.emplace_back();
    std::int32_t now = 0;
    for (std::int32_t slot = 0; slot < grid.length(rank); ++slot) {
      const Pass pass = grid.at(rank, slot).pass;
      now += isForward(pass) ? 1 : pass == Pass::weight ? -1 : 0;
      row.push_back(now);
      most_ = std::max(most_, now);
    }
  }
}

std::int32_t Held::roomFrom(std::int32_t rank, std::int32_t from, std::int32_t until) const {
  const std::vector<std::int32_t> &row = bySlot_[static_cast<std::size_t>(rank)];
  while (until > from && row[static_cast<std::size_t>(until) - 1] < most_)
    --until;
  return until;
}

void Held::moved(std::int32_t rank, Pass pass, std::int32_t from, std::int32_t to) {
  std::vector<std::int32_t> &row = bySlot_[static_cast<std::size_t>(rank)];
  for (std::int32_t slot = to; slot < from; ++slot)
    row[static_cast<std::size_t>(slot)] += isForward(pass) ? 1 : -1;
}

} // namespace plumbline::schedules::vee
