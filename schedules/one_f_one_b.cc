// 1F1B: after a warm-up, each rank alternates one forward and one backward pass, and so holds no more than S - s
// microbatches (Narayanan et al. 2021, "Efficient Large-Scale Language Model Training on GPU Clusters Using
// Megatron-LM", figure 3, there called PipeDream-Flush; Fan et al. 2021, "DAPPLE", figure 3b).
//
// In flight: min(M, S-s) on stage s. Bubble: (S-1)(F+B), as GPipe.
#include "schedules/alternation/alternation.h"
#include "schedules/families.h"

#include <algorithm>

namespace plumbline::schedules {
namespace {

Rows rowsOf(const Request &request) {
  Rows rows(static_cast<std::size_t>(request.ranks));
  for (std::int32_t rank = 0; rank < request.ranks; ++rank) {
    Row &row = rows[static_cast<std::size_t>(rank)];
    alternate(
        request.stages - 1 - rank, request.microbatches, [&](std::int32_t m) { row.forward(StageId(rank), m); },
        [&](std::int32_t m) { row.backward(StageId(rank), m); });
  }
  return rows;
}

} // namespace

const Family oneForwardOneBackward = {
    .name = "1f1b",
    .title = "one forward, one backward, with a flush",
    .paper = "Narayanan et al. 2021 (Megatron-LM), figure 3; DAPPLE, figure 3b",
    .memory = "min(M, S-s)",
    .bubble = "(S-1)(F+B)",
    .shape = Shape::line,
    .rows = rowsOf,
    .inFlight = [](const Request &request, std::int32_t rank) -> std::optional<std::int64_t> {
      return std::min(request.microbatches, request.stages - rank);
    },
    .bubbleTime = [](const Request &request) -> std::optional<std::int64_t> {
      return 3 * std::int64_t(request.stages - 1);
    },
};

} // namespace plumbline::schedules
