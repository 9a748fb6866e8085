// Interleaved ZB1P: interleaved 1F1B with the backward pass in two halves; rank r puts each weight half off by r input
// halves, so that every rank holds as much as the first. The order of PyTorch's ScheduleInterleavedZeroBubble
// (torch/distributed/pipelining/schedules.py, main at 00722e64), which names the ZB1P schedule of Qi et al. 2024, "Zero
// Bubble Pipeline Parallelism" (there without chunks) as its source. PyTorch also prints empty cells; it ignores them.
//
// The microbatches go round in groups ("rounds") of g = M / max(1, M / R), all divisions rounded down: R to 2R-1 of
// them, or M if there are fewer than R. No paper gives forms for this one; these were derived.
// In flight: min(vM, (v-1)g + R): rank r begins with (v-1)g + R-1-r forward passes, and one more for each of the input
// halves before its first weight half. Bubble: (R-1)(F+I-W) as without chunks. With e = R - M > 0 ranks more than
// microbatches each of the v laps of forward passes comes round e late, and of the laps back, all but the first, each
// is late by what the M weight halves do not fill of that gap.
#include "schedules/families.h"

#include <algorithm>

namespace plumbline::schedules {
namespace {

std::int32_t roundsOf(const Request &request) { return std::max(1, request.microbatches / request.ranks); }
std::int32_t groupOf(const Request &request) { return request.microbatches / roundsOf(request); }

std::string refuse(const Request &request) {
  const std::int32_t rounds = roundsOf(request);
  if (request.microbatches % rounds == 0)
    return "";
  return "needs a number of microbatches that is divisible by the number of rounds, microbatches / ranks rounded down "
         "(" +
         std::to_string(rounds) + "); got " + std::to_string(request.microbatches);
}

// The passes of one rank in the order in which it begins them: a group of microbatches through all chunks, then the
// next group.
class Passes {
public:
  Passes(const Request &request, std::int32_t rank) : request_(request), rank_(rank), group_(groupOf(request)) {}

  [[nodiscard]] StageId forwardStage(std::int32_t k) const { return request_.stage(chunk(k), rank_); }
  [[nodiscard]] StageId backwardStage(std::int32_t k) const {
    return request_.stage(request_.chunks() - 1 - chunk(k), rank_);
  }
  [[nodiscard]] std::int32_t microbatch(std::int32_t k) const {
    return k / (group_ * request_.chunks()) * group_ + k % group_;
  }

private:
  [[nodiscard]] std::int32_t chunk(std::int32_t k) const { return k / group_ % request_.chunks(); }

  const Request &request_;
  const std::int32_t rank_;
  const std::int32_t group_;
};

Row rowOf(const Request &request, std::int32_t rank) {
  const Passes passes(request, rank);
  const std::int32_t all = request.chunks() * request.microbatches;
  const std::int32_t warmUp = std::min((request.chunks() - 1) * groupOf(request) + request.ranks - 1 - rank, all);
  Row row;
  std::int32_t forwards = 0;
  const auto forward = [&] {
    row.forward(passes.forwardStage(forwards), passes.microbatch(forwards));
    ++forwards;
  };
  const auto weight = [&](std::int32_t k) { row.backwardWeight(passes.backwardStage(k), passes.microbatch(k)); };
  while (forwards < warmUp)
    forward();
  for (std::int32_t k = 0; k < all; ++k) {
    if (forwards < all)
      forward();
    row.backwardInput(passes.backwardStage(k), passes.microbatch(k));
    if (k >= rank)
      weight(k - rank);
  }
  for (std::int32_t k = std::max(all - rank, 0); k < all; ++k)
    weight(k);
  return row;
}

Rows rowsOf(const Request &request) {
  Rows rows;
  for (std::int32_t rank = 0; rank < request.ranks; ++rank)
    rows.push_back(rowOf(request, rank));
  return rows;
}

std::optional<std::int64_t> inFlight(const Request &request, std::int32_t) {
  const std::int64_t chunks = request.chunks();
  return std::min(chunks * request.microbatches, (chunks - 1) * groupOf(request) + request.ranks);
}

std::optional<std::int64_t> bubbleTime(const Request &request) {
  const std::int64_t chunks = request.chunks(), late = std::max(request.ranks - request.microbatches, 0);
  return request.ranks - 1 + chunks * late + (chunks - 1) * std::max<std::int64_t>(late - request.microbatches, 0);
}

} // namespace

const Family interleavedZeroBubble = {
    .name = "interleaved_zb",
    .title = "interleaved 1F1B with split backward passes (ZB1P)",
    .paper = "PyTorch ScheduleInterleavedZeroBubble; Qi et al. 2024 (Zero Bubble), figure 3, top",
    .memory = "min(vM, (v-1)g + R), g = M / max(1, M/R)",
    .bubble = "(R-1)(F+I-W) if M >= R",
    .shape = Shape::loop,
    .refuse = refuse,
    .rows = rowsOf,
    .inFlight = inFlight,
    .bubbleTime = bubbleTime,
};

} // namespace plumbline::schedules
