// Breadth-first looped pipeline: with v chunks of the model on each rank, all microbatches pass a chunk before the next
// chunk begins (Lamy-Poirier 2022, "Breadth-First Pipeline Parallelism", figure 4; PyTorch's ScheduleLoopedBFS).
// Weights of a chunk are needed in one stretch of each half of the step, and its gradients are ready early.
//
// Backward passes take the chunks from the last to the first. Within a chunk PyTorch takes the microbatches from the
// last to the first; the paper takes them in the order of the forward passes (option backward).
//
// In flight: vM on every rank. Bubble: (R-1)(F+B) of a chunk, in either order. The paper leaves out M < R; then each
// change of chunk waits for R - M more forward and backward passes.
#include "schedules/families.h"

#include <algorithm>

namespace plumbline::schedules {
namespace {

constexpr const char *backwardWords[] = {"reversed", "in_order"};
constexpr Option options[] = {
    {"backward", "order of a chunk's backward passes: as in PyTorch, or as in the paper", 0, 0, 0, backwardWords}};

Rows rowsOf(const Request &request) {
  const bool reversed = request.option("backward") == 0;
  const std::int32_t last = request.microbatches - 1;
  Rows rows(static_cast<std::size_t>(request.ranks));
  for (std::int32_t rank = 0; rank < request.ranks; ++rank) {
    Row &row = rows[static_cast<std::size_t>(rank)];
    for (std::int32_t chunk = 0; chunk < request.chunks(); ++chunk)
      for (std::int32_t m = 0; m <= last; ++m)
        row.forward(request.stage(chunk, rank), m);
    for (std::int32_t chunk = request.chunks() - 1; chunk >= 0; --chunk)
      for (std::int32_t m = 0; m <= last; ++m)
        row.backward(request.stage(chunk, rank), reversed ? last - m : m);
  }
  return rows;
}

} // namespace

const Family loopedBreadthFirst = {
    .name = "looped_bfs",
    .title = "several chunks on a rank, all microbatches through one chunk after another",
    .paper = "Lamy-Poirier 2022, figure 4; PyTorch, ScheduleLoopedBFS",
    .memory = "vM",
    .bubble = "(R-1)(F+B); if M < R (v-1)(R-M)(F+B) more",
    .shape = Shape::loop,
    .options = options,
    .rows = rowsOf,
    .inFlight = [](const Request &request, std::int32_t) -> std::optional<std::int64_t> {
      return std::int64_t(request.chunks()) * request.microbatches;
    },
    .bubbleTime = [](const Request &request) -> std::optional<std::int64_t> {
      const std::int64_t missing = std::max(0, request.ranks - request.microbatches);
      return 3 * (request.ranks - 1 + (request.chunks() - 1) * missing);
    },
};

} // namespace plumbline::schedules
