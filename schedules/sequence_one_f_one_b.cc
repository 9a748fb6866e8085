// Seq1F1B: 1F1B over parts of sequences (Sun et al. 2024, "Seq1F1B: Efficient Sequence-Level Pipeline Parallelism for
// Large Language Model Training", figure 1; the zero-bubble project's scheduler seq1f1b). Each microbatch is cut into k
// segments along the sequence. With causal attention a segment needs the keys and values of those before it, so that
// forward passes take the segments from the first to the last; and its gradient needs that of those after it, so that
// backward passes take them from the last to the first. A stage's first backward pass is thus that of segment k-1, and
// the warm-up is k-1 passes longer than that of 1F1B.
//
// A segment is a unit of work of its own here: microbatch number mk + q stands for segment q of microbatch m, and the
// schedule has Mk of them. With k = 1 this is 1F1B.
//
// In flight: min(Mk, S-s+k-1) segments on stage s. Bubble: (S-1)(F+B) of a segment, 1/k of that of 1F1B. Both hold for
// any number of microbatches, if all segments take as long (the paper cuts them so that they do).
#include "schedules/alternation/alternation.h"
#include "schedules/families.h"

#include <algorithm>

namespace plumbline::schedules {
namespace {

constexpr Option options[] = {{"segments", "parts that each microbatch's sequence is cut into", 4, 1, 1024, {}}};

std::int32_t segmentsOf(const Request &request) { return static_cast<std::int32_t>(request.option("segments")); }

// Of all microbatches.
std::int32_t allSegments(const Request &request) { return request.microbatches * segmentsOf(request); }

std::string refuse(const Request &request) {
  const std::int64_t segments = request.option("segments");
  if (std::int64_t(request.stages) * request.microbatches * segments <= mostPairs)
    return "";
  return std::to_string(request.stages) + " stages times " + std::to_string(request.microbatches) +
         " microbatches times " + std::to_string(segments) + " segments is more than " + std::to_string(mostPairs);
}

// The segment of the turn-th backward pass: microbatches in order, the segments of each from the last to the first.
std::int32_t backwardSegment(std::int32_t turn, std::int32_t segments) {
  const std::int32_t within = turn % segments;
  return turn - within + (segments - 1 - within);
}

Rows rowsOf(const Request &request) {
  const std::int32_t segments = segmentsOf(request), all = allSegments(request);
  Rows rows(static_cast<std::size_t>(request.ranks));
  for (std::int32_t rank = 0; rank < request.ranks; ++rank) {
    Row &row = rows[static_cast<std::size_t>(rank)];
    alternate(
        request.stages - 1 - rank + segments - 1, all, [&](std::int32_t turn) { row.forward(StageId(rank), turn); },
        [&](std::int32_t turn) { row.backward(StageId(rank), backwardSegment(turn, segments)); });
  }
  return rows;
}

} // namespace

const Family sequenceOneForwardOneBackward = {
    .name = "seq1f1b",
    .title = "1F1B over segments of each microbatch's sequence",
    .paper = "Sun et al. 2024 (Seq1F1B), figure 1; zero-bubble project, seq1f1b",
    .memory = "min(Mk, S-s+k-1) segments",
    .bubble = "(S-1)(F+B) of a segment",
    .shape = Shape::line,
    .options = options,
    .refuse = refuse,
    .rows = rowsOf,
    .complete = [](const Request &request, Schedule &schedule) { schedule.microbatches = allSegments(request); },
    .inFlight = [](const Request &request, std::int32_t rank) -> std::optional<std::int64_t> {
      return std::min<std::int64_t>(allSegments(request), request.stages - rank + request.option("segments") - 1);
    },
    .bubbleTime = [](const Request &request) -> std::optional<std::int64_t> {
      return 3 * std::int64_t(request.stages - 1);
    },
};

} // namespace plumbline::schedules
