// Interleaved 1F1B: as 1F1B, with v chunks of the model on each rank, so that the pipeline fills v times as fast
// (Narayanan et al. 2021, "Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM", figure 4,
// bottom; Megatron-LM's forward_backward_pipelining_with_interleaving; PyTorch's ScheduleInterleaved1F1B).
//
// Microbatches pass the chunks in groups of g (turns.h); backward passes come in the same turns with the chunks from
// the last to the first. The paper has groups of R. Megatron-LM takes any g from R to M whose last group has at least R
// microbatches; PyTorch takes M / max(1, M/R), also if M < R. Sizes that both refuse are refused here. Not made here:
// the variant of older Megatron-LM versions that ran all forward passes first if M = R. With one chunk, where both use
// 1F1B, this is 1F1B with twice the warm-up.
//
// In flight: min(vM, (v-1)g + 2(R-1-r) + 1) on rank r. Bubble: (R-1)(F+B) of a chunk, for any g and also for uneven
// groups. The paper leaves out M < R; then each change of chunk waits for R - M more forward and backward passes.
#include "schedules/families.h"
#include "schedules/interleaving/turns.h"
#include "verifier/ir/limits.h"

#include <algorithm>

namespace plumbline::schedules {
namespace {

constexpr Option options[] = {
    {"group", "microbatches that pass a chunk in a row; 0: M / max(1, M/R)", 0, 0, maxNumber, {}}};

// Rounds of PyTorch: as many groups as there can be of at least R microbatches.
std::int32_t roundsOf(const Request &request) { return std::max(1, request.microbatches / request.ranks); }

std::int32_t groupOf(const Request &request) {
  const std::int64_t asked = request.option("group");
  return asked == 0 ? request.microbatches / roundsOf(request) : static_cast<std::int32_t>(asked);
}

std::string refuse(const Request &request) {
  const std::int64_t group = request.option("group"), ranks = request.ranks, microbatches = request.microbatches;
  const std::string number = std::to_string(microbatches), least = std::to_string(ranks);
  if (group == 0) {
    const std::int32_t rounds = roundsOf(request);
    if (microbatches % rounds == 0)
      return "";
    return "needs a number of microbatches that is divisible by the number of rounds, microbatches / ranks (" +
           std::to_string(rounds) + "), or a group; got " + number;
  }
  if (group < std::min(ranks, microbatches) || group > microbatches)
    return "needs a group from the number of ranks (" + least + ") to the number of microbatches (" + number +
           "); got " + std::to_string(group);
  const std::int64_t last = microbatches % group;
  if (last > 0 && last < ranks)
    return "needs a last group with at least as many microbatches as ranks (" + least + "); got " +
           std::to_string(last) + " of " + number + " in groups of " + std::to_string(group);
  return "";
}

std::int32_t warmUpOf(const Request &request, std::int32_t rank) {
  const std::int32_t full = (request.chunks() - 1) * groupOf(request) + 2 * (request.ranks - 1 - rank);
  return std::min(full, request.chunks() * request.microbatches);
}

void addForward(const Request &request, std::int32_t rank, Turn turn, Row &row) {
  row.forward(request.stage(turn.chunk, rank), turn.microbatch);
}

void addBackward(const Request &request, std::int32_t rank, Turn turn, Row &row) {
  row.backward(request.stage(request.chunks() - 1 - turn.chunk, rank), turn.microbatch);
}

Rows rowsOf(const Request &request) {
  const Turns turns(request.microbatches, request.chunks(), groupOf(request));
  Rows rows(static_cast<std::size_t>(request.ranks));
  for (std::int32_t rank = 0; rank < request.ranks; ++rank) {
    Row &row = rows[static_cast<std::size_t>(rank)];
    const std::int32_t warmUp = warmUpOf(request, rank);
    std::int32_t forwards = 0;
    while (forwards < warmUp)
      addForward(request, rank, turns[forwards++], row);
    for (std::int32_t backwards = 0; backwards < turns.count(); ++backwards) {
      if (forwards < turns.count())
        addForward(request, rank, turns[forwards++], row);
      addBackward(request, rank, turns[backwards], row);
    }
  }
  return rows;
}

} // namespace

const Family interleavedOneForwardOneBackward = {
    .name = "interleaved_1f1b",
    .title = "1F1B with several chunks on a rank, group by group",
    .paper = "Narayanan et al. 2021 (Megatron-LM), figure 4; PyTorch, ScheduleInterleaved1F1B",
    .memory = "min(vM, (v-1)g + 2(R-1-r) + 1)",
    .bubble = "(R-1)(F+B); if M < R (v-1)(R-M)(F+B) more",
    .shape = Shape::loop,
    .options = options,
    .refuse = refuse,
    .rows = rowsOf,
    .inFlight = [](const Request &request, std::int32_t rank) -> std::optional<std::int64_t> {
      const std::int64_t chunks = request.chunks(), behind = request.ranks - 1 - rank;
      return std::min(chunks * request.microbatches, (chunks - 1) * groupOf(request) + 2 * behind + 1);
    },
    .bubbleTime = [](const Request &request) -> std::optional<std::int64_t> {
      const std::int64_t missing = std::max(0, request.ranks - request.microbatches);
      return 3 * (request.ranks - 1 + (request.chunks() - 1) * missing);
    },
};

} // namespace plumbline::schedules
