// V-Half: split backward passes on a V of two chunks a rank, in half of 1F1B's memory (Qi et al. 2024, "Pipeline
// Parallelism with Controllable Memory", figures 3 and 4). The order is that of the zero-bubble project's zbv_greedy
// scheduler with memory setting "half" (commit 39f2c186).
//
// With R ranks. In flight: the authors' floor((R+2)/2) microbatches, twice as many chunks, on every rank. With fewer
// microbatches rank r holds chunk 0 of all of them and chunk 1 of r+1.
// Bubble: the authors say "about R/2M" of the time, half of what 1F1B loses. Exactly it is 6*floor((R-1)/2)-1 from as
// many microbatches on as a rank holds chunks; one rank idles for nothing and two for 1. That was read off the
// schedules, of up to 64 ranks. With fewer microbatches the order has no steady part, and there is no simple formula.
#include "schedules/families.h"
#include "schedules/vee/controllable_memory.h"
#include "schedules/vee/sizes.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace plumbline::schedules {
namespace {

// Chunk 0 goes a rank down every two slots, chunk 1 a rank up every slot; so does the way back. A rank that holds chunk
// 0 longer than the next then holds chunk 1 shorter. With an even number of ranks the way back would fall into slots
// that are taken, so it begins three slots later.
vee::Block blockOf(std::int32_t ranks) {
  const std::int32_t wait = ranks % 2 == 0 ? 3 : 0;
  vee::Block block;
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    block.push_back({2 * rank, 3 * ranks - 2 - rank, 3 * ranks - 1 + wait + 2 * rank, 6 * ranks - 2 + wait - rank});
  return block;
}

Rows rowsOf(const Request &request) { return vee::controllableMemory(request, blockOf(request.ranks)); }

std::optional<std::int64_t> inFlight(const Request &request, std::int32_t rank) {
  const std::int64_t microbatches = request.microbatches;
  return std::min<std::int64_t>({2 * microbatches, microbatches + 1 + rank, 2 * std::int64_t((request.ranks + 2) / 2)});
}

std::optional<std::int64_t> bubbleTime(const Request &request) {
  if (request.ranks == 1)
    return 0;
  if (request.microbatches < 2 * ((request.ranks + 2) / 2))
    return std::nullopt;
  return request.ranks == 2 ? 1 : 6 * std::int64_t((request.ranks - 1) / 2) - 1;
}

} // namespace

const Family vHalf = {
    .name = "v_half",
    .title = "split backward on a V of two chunks a rank, half of 1F1B's memory",
    .paper = "Qi et al. 2024 (Controllable Memory), figures 3 and 4",
    .memory = "at most 2*floor((R+2)/2) chunks",
    .bubble = "6*floor((R-1)/2)-1, if R >= 3 and M >= 2*floor((R+2)/2)",
    .shape = Shape::vee,
    .refuse = vee::refuseManyRanks,
    .rows = rowsOf,
    .inFlight = inFlight,
    .bubbleTime = bubbleTime,
};

} // namespace plumbline::schedules
