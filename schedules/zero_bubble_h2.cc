// ZB-H2: enough forward passes before the first backward pass that no rank idles, for about twice the memory of 1F1B
// (Qi et al. 2024, "Zero Bubble Pipeline Parallelism", figure 3, bottom). The order is that of the zero-bubble
// project's scheduler under a limit of 2S forward passes' activations, for any sizes and times.
//
// Bubble: (S-1)(F+I-2W), which is 0 for equal times, as the paper's table 2 says, from M = 2S-1 on; with fewer
// microbatches the first rank waits for the first input half from M until 2S-1.
//
// In flight: M on every rank up to the paper's 2S-1 and a little beyond. The paper's drawing stays there; the project's
// scheduler goes on, because its limit is on bytes and an input half frees 21/37 of what a forward pass stores. In the
// end the first stage holds S whole forward passes and k weight halves, with S + 16k/37 <= 2S, and each stage behind
// holds one pair more; that is reached before M = 21S/4. The way there is not a formula: for sizes between, nothing is
// said. (Found by running it and compared up to S = 32 for every M, beyond for some.)
#include "schedules/families.h"
#include "schedules/zero_bubble/line_heuristic.h"

#include <algorithm>

namespace plumbline::schedules {
namespace {

Rows rowsOf(const Request &request) { return zeroBubbleRows(request, 2 * std::int64_t(request.stages)); }

std::optional<std::int64_t> inFlight(const Request &request, std::int32_t rank) {
  if (!costsAreEven(request))
    return std::nullopt;
  const std::int64_t stages = request.stages, microbatches = request.microbatches;
  // Stage s needs no weight half that long: it holds 2s whole forward passes fewer than the first stage.
  if (microbatches <= 2 * stages + 1 + 2 * std::int64_t(rank))
    return microbatches;
  if (4 * microbatches >= 21 * stages)
    return stages + 37 * stages / 16 + rank;
  return std::nullopt;
}

std::optional<std::int64_t> bubbleTime(const Request &request) {
  if (!costsAreEven(request))
    return std::nullopt;
  return std::max(0, 2 * request.stages - 1 - request.microbatches);
}

} // namespace

const Family zeroBubbleH2 = {
    .name = "zb_h2",
    .title = "zero bubble, in twice the bytes of 1F1B's activations",
    .paper = "Qi et al. 2024 (Zero Bubble), figure 3, bottom; table 2",
    .memory = "M if M <= 2S+1+2s, S + s + floor(37S/16) if M >= 21S/4",
    .bubble = "(S-1)(F+I-2W) if M >= 2S-1",
    .shape = Shape::line,
    .options = zeroBubbleCosts,
    .rows = rowsOf,
    .inFlight = inFlight,
    .bubbleTime = bubbleTime,
};

} // namespace plumbline::schedules
