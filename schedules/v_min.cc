// V-Min: split backward passes on a V of two chunks a rank, in a third of 1F1B's memory (Qi et al. 2024, "Pipeline
// Parallelism with Controllable Memory", figures 3 and 4). The order is that of the zero-bubble project's zbv_greedy
// scheduler with memory setting "min" (commit 39f2c186).
//
// With R ranks. In flight: the authors' floor((R+4)/3) microbatches, twice as many chunks, on every rank; rank 0 makes
// do with one chunk less where R mod 3 is 2. With fewer microbatches rank r holds chunk 0 of all of them and chunk 1 of
// r+1; where R mod 3 is 2 that is not always so, and the formula says nothing for M < R.
// Bubble: the authors say "about 2R/3M" of the time. Exactly it is 4R-5 for M > R, as with a single microbatch, which
// takes 4R+1 to rank 0 and back and is 6 of work there; and 4R-7 where R is divisible by 3. One rank idles for nothing.
// The latter was read off the schedules, of up to 64 ranks. With fewer microbatches the order has no steady part, and
// there is no simple formula.
#include "schedules/families.h"
#include "schedules/vee/controllable_memory.h"
#include "schedules/vee/sizes.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace plumbline::schedules {
namespace {

// Every pass goes one rank further in the next slot. With a number of ranks divisible by three the way back would fall
// into slots that are taken, so it begins two slots later.
vee::Block blockOf(std::int32_t ranks) {
  const std::int32_t wait = ranks % 3 == 0 ? 2 : 0;
  vee::Block block;
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    block.push_back({rank, 2 * ranks - 1 - rank, 2 * ranks + wait + rank, 4 * ranks - 1 + wait - rank});
  return block;
}

Rows rowsOf(const Request &request) { return vee::controllableMemory(request, blockOf(request.ranks)); }

std::optional<std::int64_t> inFlight(const Request &request, std::int32_t rank) {
  const std::int64_t ranks = request.ranks, microbatches = request.microbatches;
  const std::int64_t most = 2 * ((ranks + 4) / 3);
  if (ranks % 3 != 2)
    return std::min({2 * microbatches, microbatches + 1 + rank, most});
  return microbatches < ranks ? std::nullopt : std::optional(rank == 0 ? most - 1 : most);
}

std::optional<std::int64_t> bubbleTime(const Request &request) {
  const std::int64_t ranks = request.ranks;
  if (ranks == 1)
    return 0;
  if (request.microbatches <= ranks)
    return std::nullopt;
  return ranks % 3 == 0 ? 4 * ranks - 7 : 4 * ranks - 5;
}

} // namespace

const Family vMin = {
    .name = "v_min",
    .title = "split backward on a V of two chunks a rank, a third of 1F1B's memory",
    .paper = "Qi et al. 2024 (Controllable Memory), figures 3 and 4",
    .memory = "at most 2*floor((R+4)/3) chunks",
    .bubble = "4R-5, if R >= 2; 4R-7, if R mod 3 is 0; for M > R",
    .shape = Shape::vee,
    .refuse = vee::refuseManyRanks,
    .rows = rowsOf,
    .inFlight = inFlight,
    .bubbleTime = bubbleTime,
};

} // namespace plumbline::schedules
