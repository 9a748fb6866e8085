// A pipeline order drawn as in the figures of Qi et al. 2024, "Pipeline Parallelism with Controllable Memory": a row a
// rank, a column a slot of time, in which every forward pass and every half of a backward pass takes one slot.
#pragma once

#include "schedules/vee/pass.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace plumbline::schedules::vee {

struct Cell {
  Pass pass = Pass::none;
  std::int32_t microbatch = 0; // of a weight half: how many the rank did before
};

// A building block (section 3 of the paper): by rank, the slots of the four passes of microbatch 0. Every further
// microbatch does the same `interval` slots later, which is the work of one microbatch on a rank.
using Block = std::vector<std::array<std::int32_t, passesThrough>>;
inline constexpr std::int32_t interval = 6;

class Grid {
public:
  // A full backward pass takes two slots: itself and the weight half right behind it.
  enum class Backward : std::uint8_t { split, full };

  Grid(std::int32_t ranks, std::int32_t microbatches, Backward backward);

  [[nodiscard]] std::int32_t ranks() const { return static_cast<std::int32_t>(rows_.size()); }
  [[nodiscard]] std::int32_t microbatches() const { return microbatches_; }
  [[nodiscard]] Backward backward() const { return backward_; }
  // One past the last slot in use, of the rank or of all.
  [[nodiscard]] std::int32_t length(std::int32_t rank) const;
  [[nodiscard]] std::int32_t length() const;

  // No pass where nothing was put.
  [[nodiscard]] Cell at(std::int32_t rank, std::int32_t slot) const {
    const std::vector<Cell> &row = rows_[static_cast<std::size_t>(rank)];
    return static_cast<std::size_t>(slot) < row.size() ? row[static_cast<std::size_t>(slot)] : Cell();
  }
  void put(std::int32_t rank, std::int32_t slot, Cell cell);
  void move(std::int32_t rank, std::int32_t from, std::int32_t to);
  void dropWeights();

  // The slot at which the input of the pass is there, as far as ranks before have been put.
  [[nodiscard]] std::int32_t inputAt(std::int32_t rank, Cell cell) const;
  // The same, and not before the pass of the microbatch before.
  [[nodiscard]] std::int32_t earliest(std::int32_t rank, Cell cell) const;
  // The first slot in [from, until) without a pass; `until` if there is none.
  [[nodiscard]] std::int32_t firstFree(std::int32_t rank, std::int32_t from, std::int32_t until) const;

private:
  [[nodiscard]] std::size_t place(std::int32_t rank, Cell cell) const {
    return (static_cast<std::size_t>(cell.pass) * rows_.size() + static_cast<std::size_t>(rank)) *
               static_cast<std::size_t>(microbatches_) +
           static_cast<std::size_t>(cell.microbatch);
  }
  [[nodiscard]] std::int32_t endOf(std::int32_t rank, Cell cell) const;

  std::int32_t microbatches_;
  Backward backward_;
  std::vector<std::vector<Cell>> rows_;
  std::vector<std::int32_t> slots_; // by pass, rank and microbatch; not of weight halves
};

// Every microbatch does what the block says. Of a full backward pass the weight half is put, too.
Grid repeat(const Block &block, std::int32_t microbatches, Grid::Backward backward);

// What each rank holds after each slot, in chunks' activations: one more from a forward pass on, one less from a weight
// half on. The weight halves are in the grid.
class Held {
public:
  explicit Held(const Grid &grid);

  // Of any rank at any time, at the beginning.
  [[nodiscard]] std::int32_t most() const { return most_; }
  // The earliest slot, not before `from`, such that the rank holds less than the most from it up to `until`.
  [[nodiscard]] std::int32_t roomFrom(std::int32_t rank, std::int32_t from, std::int32_t until) const;
  // A forward pass or weight half was moved.
  void moved(std::int32_t rank, Pass pass, std::int32_t from, std::int32_t to);

private:
  std::int32_t most_ = 0;
  std::vector<std::vector<std::int32_t>> bySlot_;
};

} // namespace plumbline::schedules::vee
