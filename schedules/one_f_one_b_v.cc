// 1F1B-V: full backward passes on a V of two chunks a rank, in two thirds of 1F1B's memory. The order is that of the
// zero-bubble project's v1f1b scheduler (commit 39f2c186), which repeats a building block and moves the beginning
// together as in Qi et al. 2024, "Pipeline Parallelism with Controllable Memory". The project's costs do not change it.
//
// With R ranks and L = floor(2R/3)+1. In flight: 2L chunks on every rank; with fewer microbatches rank r holds chunk 0
// of all of them and chunk 1 of 1+floor(3r/2).
// Bubble: 6(R-1) with one microbatch, which takes 6R to rank 0 and back and is 6 of work there. Every further one, up
// to L, adds 6 of work and 4 to the time. From there on, where memory holds forward passes back, it is
// 5(R-1)-2((R-1) mod 3), or still 6(R-1)-2(L-1) if that is more. Where R is divisible by 3 and at least 12, the block
// shows in the end: the bubble is 5R-8 from M = 2R on, and the formula says nothing for 3R/2 < M < 2R. No paper gives
// these numbers; they were read off the schedules, of up to 64 ranks.
#include "schedules/families.h"
#include "schedules/vee/grid.h"
#include "schedules/vee/sizes.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace plumbline::schedules {
namespace {

using vee::Cell;
using vee::Grid;
using vee::Pass;

// A forward pass goes one rank further in the next slot, a backward pass, which takes two, in the slot after the next;
// after every three the way back pauses for three slots. Over three ranks both then move on by three slots, modulo six,
// so that what fits on one rank fits on those three further. The way back begins so that it fits on the first ones.
vee::Block blockOf(std::int32_t ranks) {
  vee::Block block(static_cast<std::size_t>(ranks));
  std::int32_t slot = 0;
  const auto set = [&](std::int32_t rank, Pass pass) {
    block[static_cast<std::size_t>(rank)][static_cast<std::size_t>(pass)] = slot;
  };
  for (std::int32_t rank = 0; rank < ranks; ++rank, ++slot)
    set(rank, Pass::firstForward);
  for (std::int32_t rank = ranks - 1; rank >= 0; --rank, ++slot)
    set(rank, Pass::secondForward);
  slot += ranks % 3 == 0 ? 3 : 0;
  std::int32_t inRow = (2 * ranks + 1) % 3; // backward passes since the forward passes' slots
  const auto setBackward = [&](std::int32_t rank, Pass pass) {
    set(rank, pass);
    inRow = (inRow + 1) % 3;
    slot += inRow == 0 ? 5 : 2;
  };
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    setBackward(rank, Pass::secondBackward);
  for (std::int32_t rank = ranks - 1; rank >= 0; --rank)
    setBackward(rank, Pass::firstBackward);
  return block;
}

// Moves each pass up to the earliest free slots after its input; a forward pass only as far as the rank does not come
// to hold more than any rank does anyway.
class WarmUp {
public:
  explicit WarmUp(Grid &grid) : grid_(grid), held_(grid) {}

  void run() {
    const std::int32_t length = grid_.length();
    for (std::int32_t slot = 0; slot < length; ++slot)
      for (std::int32_t rank = 0; rank < grid_.ranks(); ++rank) {
        const Cell cell = grid_.at(rank, slot);
        if (isForward(cell.pass))
          moveForward(rank, slot, cell);
        else if (isBackward(cell.pass))
          moveBackward(rank, slot, cell);
      }
  }

private:
  void moveForward(std::int32_t rank, std::int32_t slot, Cell cell) {
    const std::int32_t from = held_.roomFrom(rank, grid_.earliest(rank, cell), slot);
    const std::int32_t to = grid_.firstFree(rank, from, slot);
    if (to == slot)
      return;
    grid_.move(rank, slot, to);
    held_.moved(rank, cell.pass, slot, to);
  }

  // With its weight half, which stands in the next slot.
  void moveBackward(std::int32_t rank, std::int32_t slot, Cell cell) {
    std::int32_t to = grid_.firstFree(rank, grid_.earliest(rank, cell), slot);
    while (to < slot && grid_.at(rank, to + 1).pass != Pass::none)
      to = grid_.firstFree(rank, to + 1, slot);
    if (to == slot)
      return;
    grid_.move(rank, slot, to);
    grid_.move(rank, slot + 1, to + 1);
    held_.moved(rank, Pass::weight, slot + 1, to + 1);
  }

  Grid &grid_;
  vee::Held held_;
};

Rows rowsOf(const Request &request) {
  Grid grid = repeat(blockOf(request.ranks), request.microbatches, Grid::Backward::full);
  WarmUp(grid).run();
  Rows rows(static_cast<std::size_t>(request.ranks));
  for (std::int32_t rank = 0; rank < request.ranks; ++rank)
    for (std::int32_t slot = 0; slot < grid.length(rank); ++slot) {
      const Cell cell = grid.at(rank, slot);
      const StageId stage = request.stage(chunkOf(cell.pass), rank);
      if (isForward(cell.pass))
        rows[static_cast<std::size_t>(rank)].forward(stage, cell.microbatch);
      else if (isBackward(cell.pass))
        rows[static_cast<std::size_t>(rank)].backward(stage, cell.microbatch);
    }
  return rows;
}

std::optional<std::int64_t> inFlight(const Request &request, std::int32_t rank) {
  const std::int64_t microbatches = request.microbatches, longest = 2 * std::int64_t(request.ranks) / 3 + 1;
  return std::min<std::int64_t>({2 * microbatches, microbatches + 1 + 3 * std::int64_t(rank) / 2, 2 * longest});
}

std::optional<std::int64_t> bubbleTime(const Request &request) {
  const std::int64_t ranks = request.ranks, microbatches = request.microbatches, longest = 2 * ranks / 3 + 1;
  const std::int64_t fewest = 6 * (ranks - 1) - 2 * (std::min(microbatches, longest) - 1);
  if (microbatches <= longest)
    return fewest;
  if (ranks % 3 == 0 && ranks >= 12 && 2 * microbatches > 3 * ranks)
    return microbatches < 2 * ranks ? std::nullopt : std::optional(5 * ranks - 8);
  return std::max(fewest, 5 * (ranks - 1) - 2 * ((ranks - 1) % 3));
}

} // namespace

const Family oneForwardOneBackwardV = {
    .name = "1f1b_v",
    .title = "one forward, one backward, on a V of two chunks a rank",
    .paper = "zero-bubble project, scheduler v1f1b; after Qi et al. 2024 (Controllable Memory)",
    .memory = "at most 2L chunks, L = floor(2R/3)+1",
    .bubble = "max(6(R-1)-2(L-1), 5(R-1)-2((R-1) mod 3)), if M >= 2R; 5R-8, if R >= 12 and R mod 3 is 0",
    .shape = Shape::vee,
    .refuse = vee::refuseManyRanks,
    .rows = rowsOf,
    .inFlight = inFlight,
    .bubbleTime = bubbleTime,
};

} // namespace plumbline::schedules
