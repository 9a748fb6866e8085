// PipeDream: 1F1B that never flushes. Each microbatch updates the weights by itself, and its backward pass uses the
// version of the weights that its forward pass used, which is kept until then (Narayanan et al. 2019, "PipeDream:
// Generalized Pipeline Parallelism for DNN Training", figure 4, and section 3.3, weight stashing). A row is one
// run from a cold start to the end.
//
// `stash_weights` before a forward pass keeps the newest version for its microbatch; `pick_weights` before the forward
// and before the backward pass makes that version current; `optimizer_step` after it applies the microbatch's gradient
// to the newest version. The last stage does the same, though it always picks the newest.
//
// In flight, and so versions kept: min(M, S-s) on stage s. There is no bubble but that of the cold start and the end,
// once a run: (S-1)(F+B) on the first stage.
#include "schedules/alternation/alternation.h"
#include "schedules/families.h"

#include <algorithm>

namespace plumbline::schedules {
namespace {

void stashAndForward(Row &row, StageId stage, std::int32_t microbatch) {
  row.add(Opcode::stash_weights, stage, microbatch);
  row.add(Opcode::pick_weights, stage, microbatch);
  row.forward(stage, microbatch);
}

void backwardAndUpdate(Row &row, StageId stage, std::int32_t microbatch) {
  row.add(Opcode::pick_weights, stage, microbatch);
  row.backward(stage, microbatch);
  row.add(Opcode::optimizer_step, stage, microbatch);
}

Rows rowsOf(const Request &request) {
  Rows rows(static_cast<std::size_t>(request.ranks));
  for (std::int32_t rank = 0; rank < request.ranks; ++rank) {
    Row &row = rows[static_cast<std::size_t>(rank)];
    alternate(
        request.stages - 1 - rank, request.microbatches,
        [&](std::int32_t m) { stashAndForward(row, StageId(rank), m); },
        [&](std::int32_t m) { backwardAndUpdate(row, StageId(rank), m); });
  }
  return rows;
}

} // namespace

const Family pipedream = {
    .name = "pipedream",
    .title = "1F1B without a flush, weights stashed for each microbatch",
    .paper = "Narayanan et al. 2019 (PipeDream), figure 4",
    .memory = "min(M, S-s), and as many versions of the weights",
    .bubble = "(S-1)(F+B), once a run",
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
