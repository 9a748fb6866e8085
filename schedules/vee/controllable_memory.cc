#include "schedules/vee/controllable_memory.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace plumbline::schedules::vee {
namespace {

// Puts the weight halves into the free slots, each as soon as one waits.
void addWeights(Grid &grid) {
  for (std::int32_t rank = 0; rank < grid.ranks(); ++rank) {
    std::int32_t waiting = 0, done = 0;
    for (std::int32_t slot = 0; slot < grid.length(rank) || waiting > 0; ++slot) {
      const Pass pass = grid.at(rank, slot).pass;
      if (isBackward(pass))
        ++waiting;
      if (pass != Pass::none || waiting == 0)
        continue;
      grid.put(rank, slot, {Pass::weight, done++});
      --waiting;
    }
  }
}

// The paper's squeeze: the same order on every rank, everything as early as its inputs allow.
Grid squeeze(const Grid &grid) {
  Grid result(grid.ranks(), grid.microbatches(), grid.backward());
  for (std::int32_t slot = 0; slot < grid.length(); ++slot)
    for (std::int32_t rank = 0; rank < grid.ranks(); ++rank) {
      const Cell cell = grid.at(rank, slot);
      if (cell.pass == Pass::none)
        continue;
      const std::int32_t input = cell.pass == Pass::weight ? 0 : result.inputAt(rank, cell);
      result.put(rank, std::max(input, result.length(rank)), cell);
    }
  return result;
}

// Which part of the schedule the walk over its slots is in. The steady part, where all ranks are busy, stays as it is:
// from the end of microbatch 0 to the entry of the last one.
class Walk {
public:
  enum class Part : std::uint8_t { warmUp, steady, coolDown };

  explicit Walk(std::int32_t microbatches) : last_(microbatches - 1) {}

  // The part that the cell belongs to. Cells come in order of time.
  Part step(std::int32_t rank, Cell cell) {
    if (part_ == Part::warmUp && rank == 0 && cell.pass == Pass::firstBackward)
      part_ = Part::steady;
    const Part part = part_;
    if (part == Part::steady && cell.pass == Pass::firstForward && cell.microbatch == last_)
      part_ = Part::coolDown;
    return part;
  }

private:
  std::int32_t last_;
  Part part_ = Part::warmUp;
};

// First reordering: with the weight halves in their slots.
class WithWeights {
public:
  explicit WithWeights(Grid &grid)
      : grid_(grid), held_(grid), backwards_(static_cast<std::size_t>(grid.ranks())),
        afterWeight_(static_cast<std::size_t>(grid.ranks())) {}

  void run() {
    Walk walk(grid_.microbatches());
    const std::int32_t length = grid_.length();
    for (std::int32_t slot = 0; slot < length; ++slot)
      for (std::int32_t rank = 0; rank < grid_.ranks(); ++rank) {
        const Cell cell = grid_.at(rank, slot);
        if (cell.pass == Pass::none)
          continue;
        const bool stays = walk.step(rank, cell) == Walk::Part::steady;
        const std::int32_t to = stays ? slot : target(rank, slot, cell);
        if (to < slot)
          move(rank, slot, to, cell.pass);
        backwards_[static_cast<std::size_t>(rank)] += isBackward(cell.pass) ? 1 : 0;
        if (cell.pass == Pass::weight)
          afterWeight_[static_cast<std::size_t>(rank)] = to + 1;
      }
  }

private:
  // The earliest slot for what now is in `slot`. Only a forward pass asks for memory.
  [[nodiscard]] std::int32_t target(std::int32_t rank, std::int32_t slot, Cell cell) const {
    std::int32_t from = cell.pass == Pass::weight ? weightFrom(rank, slot, cell) : grid_.earliest(rank, cell);
    if (isForward(cell.pass))
      from = held_.roomFrom(rank, from, slot);
    return grid_.firstFree(rank, from, slot);
  }

  // Weight halves keep the order of the backward passes, whatever these have become.
  [[nodiscard]] std::int32_t weightFrom(std::int32_t rank, std::int32_t slot, Cell cell) const {
    std::int32_t later = backwards_[static_cast<std::size_t>(rank)] - cell.microbatch;
    while (later > 0)
      later -= isBackward(grid_.at(rank, --slot).pass) ? 1 : 0;
    return std::max(slot + 1, afterWeight_[static_cast<std::size_t>(rank)]);
  }

  void move(std::int32_t rank, std::int32_t from, std::int32_t to, Pass pass) {
    grid_.move(rank, from, to);
    if (!isBackward(pass))
      held_.moved(rank, pass, from, to);
  }

  Grid &grid_;
  Held held_;
  std::vector<std::int32_t> backwards_;   // by rank: those in the slots walked over
  std::vector<std::int32_t> afterWeight_; // by rank: the slot after the latest weight half
};

// A rank that does the oldest waiting weight half in each free slot.
struct Load {
  std::int32_t held = 0;    // chunks' activations
  std::int32_t waiting = 0; // weight halves

  [[nodiscard]] Load after(Pass pass) const {
    if (isForward(pass))
      return {held + 1, waiting};
    if (isBackward(pass))
      return {held, waiting + 1};
    return waiting > 0 ? Load{held - 1, waiting - 1} : *this;
  }
  bool operator==(const Load &other) const { return held == other.held && waiting == other.waiting; }
};

// Second reordering: of a grid without weight halves, which will go wherever slots stay free.
class WithoutWeights {
public:
  explicit WithoutWeights(Grid &grid) : grid_(grid), loads_(static_cast<std::size_t>(grid.ranks())) {
    for (std::int32_t rank = 0; rank < grid.ranks(); ++rank) {
      std::vector<Load> &loads = loads_[static_cast<std::size_t>(rank)];
      loads.resize(static_cast<std::size_t>(grid.length(rank)));
      for (std::int32_t slot = 0; slot < grid.length(rank); ++slot) {
        loads[static_cast<std::size_t>(slot)] = loadBefore(rank, slot).after(grid.at(rank, slot).pass);
        most_ = std::max(most_, loads[static_cast<std::size_t>(slot)].held);
      }
    }
  }

  void run() {
    Walk walk(grid_.microbatches());
    const std::int32_t length = grid_.length();
    for (std::int32_t slot = 0; slot < length; ++slot)
      for (std::int32_t rank = 0; rank < grid_.ranks(); ++rank) {
        const Cell cell = grid_.at(rank, slot);
        if (cell.pass == Pass::none || walk.step(rank, cell) != Walk::Part::coolDown)
          continue;
        moveUp(rank, slot, cell);
      }
  }

private:
  [[nodiscard]] Load loadBefore(std::int32_t rank, std::int32_t slot) const {
    return slot == 0 ? Load() : loads_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(slot) - 1];
  }

  void moveUp(std::int32_t rank, std::int32_t slot, Cell cell) {
    for (std::int32_t to = grid_.earliest(rank, cell); to < slot; ++to)
      if (grid_.at(rank, to).pass == Pass::none && fits(rank, slot, to, cell.pass)) {
        grid_.move(rank, slot, to);
        update(rank, slot, to);
        return;
      }
  }

  // Whether the rank never holds too much with the pass of slot `from` in slot `to`.
  [[nodiscard]] bool fits(std::int32_t rank, std::int32_t from, std::int32_t to, Pass moved) const {
    Load load = loadBefore(rank, to);
    for (std::int32_t slot = to; slot < grid_.length(rank); ++slot) {
      load = load.after(slot == to ? moved : slot == from ? Pass::none : grid_.at(rank, slot).pass);
      if (load.held > most_)
        return false;
      if (slot >= from && load == loads_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(slot)])
        return true; // from here on all is as before
    }
    return true;
  }

  void update(std::int32_t rank, std::int32_t from, std::int32_t to) {
    for (std::int32_t slot = to; slot < grid_.length(rank); ++slot) {
      const Load load = loadBefore(rank, slot).after(grid_.at(rank, slot).pass);
      Load &known = loads_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(slot)];
      if (slot >= from && load == known)
        return;
      known = load;
    }
  }

  Grid &grid_;
  std::vector<std::vector<Load>> loads_; // by rank: after each slot
  std::int32_t most_ = 0;                // that a rank holds
};

// Weight halves in the free slots; of those that wait, chunk 1's go first.
Row rowOf(const Grid &grid, const Request &request, std::int32_t rank) {
  Row row;
  std::array<std::int32_t, 2> waiting = {0, 0}, done = {0, 0}; // by chunk
  for (std::int32_t slot = 0; slot < grid.length(rank) || waiting[0] + waiting[1] > 0; ++slot) {
    const Cell cell = grid.at(rank, slot);
    const StageId stage = request.stage(chunkOf(cell.pass), rank);
    if (isForward(cell.pass)) {
      row.forward(stage, cell.microbatch);
    } else if (isBackward(cell.pass)) {
      row.backwardInput(stage, cell.microbatch);
      ++waiting[static_cast<std::size_t>(chunkOf(cell.pass))];
    } else if (waiting[0] + waiting[1] > 0) {
      const std::size_t chunk = waiting[1] > 0 ? 1 : 0;
      row.backwardWeight(request.stage(static_cast<std::int32_t>(chunk), rank), done[chunk]++);
      --waiting[chunk];
    }
  }
  return row;
}

} // namespace

Rows controllableMemory(const Request &request, const Block &block) {
  Grid grid = repeat(block, request.microbatches, Grid::Backward::split);
  addWeights(grid);
  WithWeights(grid).run();
  grid = squeeze(grid);
  // The weight halves of the first round were in the way; they find better places now.
  grid.dropWeights();
  WithoutWeights(grid).run();
  addWeights(grid);
  grid = squeeze(grid);
  grid.dropWeights();
  Rows rows;
  for (std::int32_t rank = 0; rank < request.ranks; ++rank)
    rows.push_back(rowOf(grid, request, rank));
  return rows;
}

} // namespace plumbline::schedules::vee
