// Inference through a pipeline: forward passes only. With one chunk on each rank this is the plain pipeline (nnScaler's
// infer-pipe). With several, groups of R microbatches pass one chunk after another (turns.h), as Megatron-LM's
// interleaved schedule does with forward_only: a microbatch comes back to the first rank just when the group has passed
// it, so that ranks do not wait and the first results come early.
//
// Nothing is kept for a backward pass. No rank waits between its first and its last pass, but for a last group with
// fewer than R microbatches, say p: (v-1)(R-p)F.
#include "schedules/families.h"
#include "schedules/interleaving/turns.h"

namespace plumbline::schedules {
namespace {

Rows rowsOf(const Request &request) {
  const Turns turns(request.microbatches, request.chunks(), request.ranks);
  Rows rows(static_cast<std::size_t>(request.ranks));
  for (std::int32_t rank = 0; rank < request.ranks; ++rank)
    for (std::int32_t turn = 0; turn < turns.count(); ++turn)
      rows[static_cast<std::size_t>(rank)].forward(request.stage(turns[turn].chunk, rank), turns[turn].microbatch);
  return rows;
}

} // namespace

const Family forwardOnly = {
    .name = "forward_only",
    .title = "inference: forward passes only",
    .paper = "nnScaler, infer-pipe; Megatron-LM, interleaving with forward_only",
    .memory = "none is kept",
    .bubble = "(v-1)(R-p)F; p microbatches in the last group",
    .shape = Shape::loop,
    .mode = Mode::inference,
    .rows = rowsOf,
    .bubbleTime = [](const Request &request) -> std::optional<std::int64_t> {
      const std::int64_t over = request.microbatches % request.ranks;
      return over == 0 ? 0 : (request.chunks() - 1) * (request.ranks - over);
    },
};

} // namespace plumbline::schedules
