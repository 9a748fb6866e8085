// Group-interleaved 1F1B: interleaved 1F1B whose microbatches go round in groups that may be smaller than the number of
// ranks, down to half of it, so that fewer are in flight; backward passes in two halves, one right after the other.
// The order of the zero-bubble project (sail-sg/zero-bubble-pipeline-parallelism, commit 39f2c186, scheduler
// group_interleaved_1f1b without recompute and offload), there for Wan et al. 2025, "PipeOffload: Improving Scalability
// of Pipeline Parallelism with Memory Optimization". The project takes group sizes out of range as the nearest one in
// range; here they are refused. The least size is that for equal times.
//
// The papers give no forms for these orders; they were derived. In flight: min(vM, (v-1)g + R - r), without the places
// that a last group of fewer than g microbatches leaves empty. Bubble, with g dividing M: (R-1)(F+I), and F more for
// each of the R-g ranks beyond a group and each lap after the first. A last group of fewer than g microbatches leaves
// gaps in each lap of its backward passes too, as far as it does not fill half of the ranks. With three chunks and more
// these gaps meet if groups are smaller than two thirds of the ranks: then nothing is said.
#include "schedules/families.h"

#include <algorithm>

namespace plumbline::schedules {
namespace {

constexpr Option options[] = {
    {"group", "microbatches that go round together; 0: half of the ranks, rounded up, as the framework takes it", 0, 0,
     1'000'000},
};

std::int32_t leastGroup(const Request &request) { return (request.ranks + 1) / 2; }
std::int32_t groupOf(const Request &request) {
  const std::int64_t group = request.option("group");
  return group == 0 ? leastGroup(request) : static_cast<std::int32_t>(group);
}

std::string refuse(const Request &request) {
  const std::int32_t group = groupOf(request);
  if (group >= leastGroup(request) && group <= request.ranks)
    return "";
  return "needs groups of half of the ranks to all of them (" + std::to_string(leastGroup(request)) + " to " +
         std::to_string(request.ranks) + " microbatches); got " + std::to_string(group);
}

// A pass of one rank. All groups take as many places as a full one; the last may leave some of them empty.
struct Pass {
  std::int32_t chunk = 0; // of a forward pass; backward passes take the chunks in reverse
  std::int32_t microbatch = 0;
  std::int32_t place = 0;
};

// The passes of a rank in order: all chunks of a group, then those of the next group.
class Passes {
public:
  explicit Passes(const Request &request)
      : chunks_(request.chunks()), microbatches_(request.microbatches), group_(groupOf(request)) {}

  [[nodiscard]] std::int32_t count() const { return chunks_ * microbatches_; }
  [[nodiscard]] Pass operator[](std::int32_t k) const {
    const std::int32_t places = group_ * chunks_; // of one group
    const std::int32_t before = std::min(k / places, microbatches_ / group_);
    const std::int32_t size = std::min(group_, microbatches_ - before * group_);
    const std::int32_t chunk = (k - before * places) / size, member = (k - before * places) % size;
    return {chunk, before * group_ + member, before * places + chunk * group_ + member};
  }

private:
  const std::int32_t chunks_;
  const std::int32_t microbatches_;
  const std::int32_t group_;
};

Row rowOf(const Request &request, std::int32_t rank) {
  const Passes passes(request);
  const std::int32_t warmUp = (request.chunks() - 1) * groupOf(request) + request.ranks - 1 - rank; // places
  Row row;
  std::int32_t forwards = 0;
  for (std::int32_t k = 0; k < passes.count(); ++k) {
    const Pass back = passes[k];
    while (forwards < passes.count() && passes[forwards].place <= back.place + warmUp) {
      const Pass ahead = passes[forwards++];
      row.forward(request.stage(ahead.chunk, rank), ahead.microbatch);
    }
    const StageId stage = request.stage(request.chunks() - 1 - back.chunk, rank);
    row.backwardInput(stage, back.microbatch);
    row.backwardWeight(stage, back.microbatch);
  }
  return row;
}

Rows rowsOf(const Request &request) {
  Rows rows;
  for (std::int32_t rank = 0; rank < request.ranks; ++rank)
    rows.push_back(rowOf(request, rank));
  return rows;
}

// Of the first so many places those that are not empty.
std::int64_t filledOf(const Request &request, std::int64_t places) {
  const std::int64_t group = groupOf(request), chunks = request.chunks();
  const std::int64_t full = request.microbatches / group * group * chunks, last = request.microbatches % group;
  if (places <= full)
    return places;
  const std::int64_t rest = std::min(places - full, group * chunks);
  return full + rest / group * last + std::min(rest % group, last);
}

std::optional<std::int64_t> inFlight(const Request &request, std::int32_t rank) {
  const std::int64_t group = groupOf(request);
  return filledOf(request, (request.chunks() - 1) * group + request.ranks - rank);
}

std::optional<std::int64_t> bubbleTime(const Request &request) {
  const std::int32_t ranks = request.ranks, group = groupOf(request);
  const std::int32_t first = std::min(group, request.microbatches);
  const std::int32_t last = request.microbatches % group == 0 ? group : request.microbatches % group;
  if (last < first && request.chunks() > 2 && 3 * group < 2 * ranks)
    return std::nullopt;
  const std::int64_t late = ranks - first + std::max(ranks - 2 * last, 0); // in a lap forward and back
  return 2 * std::int64_t(ranks - 1) + (request.chunks() - 1) * late;
}

} // namespace

const Family groupInterleavedZeroBubble = {
    .name = "group_interleaved_zb",
    .title = "interleaved 1F1B in groups, with split backward passes",
    .paper = "zero-bubble project, group_interleaved_1f1b; Wan et al. 2025 (PipeOffload)",
    .memory = "min(vM, (v-1)g + R - r) if g divides M",
    .bubble = "(R-1)(F+I) + (v-1)(R-g)F if g divides M",
    .shape = Shape::loop,
    .options = options,
    .refuse = refuse,
    .rows = rowsOf,
    .inFlight = inFlight,
    .bubbleTime = bubbleTime,
};

} // namespace plumbline::schedules
