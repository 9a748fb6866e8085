// GPipe: all forward passes, then all backward passes (Huang et al. 2019, "GPipe: Efficient Training of Giant Neural
// Networks using Pipeline Parallelism", figure 2c).
//
// The figure runs the backward passes from the last microbatch on; the frameworks (PyTorch, nnScaler) and this file run
// them from the first on, which changes neither memory nor bubble.
//
// In flight: M on every rank. Bubble: (S-1)(F+B), which is (S-1)/(M+S-1) of the time.
#include "schedules/families.h"

namespace plumbline::schedules {
namespace {

Rows rowsOf(const Request &request) {
  Rows rows(static_cast<std::size_t>(request.ranks));
  for (std::int32_t rank = 0; rank < request.ranks; ++rank) {
    Row &row = rows[static_cast<std::size_t>(rank)];
    for (std::int32_t m = 0; m < request.microbatches; ++m)
      row.forward(StageId(rank), m);
    for (std::int32_t m = 0; m < request.microbatches; ++m)
      row.backward(StageId(rank), m);
  }
  return rows;
}

} // namespace

const Family gpipe = {
    .name = "gpipe",
    .title = "all forward passes, then all backward passes",
    .paper = "Huang et al. 2019 (GPipe), figure 2c",
    .memory = "M",
    .bubble = "(S-1)(F+B)",
    .shape = Shape::line,
    .rows = rowsOf,
    .inFlight = [](const Request &request, std::int32_t) -> std::optional<std::int64_t> {
      return request.microbatches;
    },
    .bubbleTime = [](const Request &request) -> std::optional<std::int64_t> {
      return 3 * std::int64_t(request.stages - 1);
    },
};

} // namespace plumbline::schedules
