// ZB-H1: 1F1B with the backward pass in two halves, of which the weight half fills what would be idle time, in the
// memory of 1F1B (Qi et al. 2024, "Zero Bubble Pipeline Parallelism", figure 3, top). The order is that of the
// zero-bubble project's scheduler under a limit of S forward passes' activations, for any sizes and times.
//
// In flight: min(M, S) on every rank: the paper's table 2 says p. Bubble: (S-1)(F+I-W) as there, from M = S on; with
// fewer microbatches the first rank waits for the first input half from M until 2S-1.
#include "schedules/families.h"
#include "schedules/zero_bubble/line_heuristic.h"

#include <algorithm>

namespace plumbline::schedules {
namespace {

Rows rowsOf(const Request &request) { return zeroBubbleRows(request, request.stages); }

std::optional<std::int64_t> inFlight(const Request &request, std::int32_t) {
  if (!costsAreEven(request))
    return std::nullopt;
  return std::min(request.microbatches, request.stages);
}

std::optional<std::int64_t> bubbleTime(const Request &request) {
  if (!costsAreEven(request))
    return std::nullopt;
  return std::max(request.stages - 1, 2 * request.stages - 1 - request.microbatches);
}

} // namespace

const Family zeroBubbleH1 = {
    .name = "zb_h1",
    .title = "zero bubble, in the memory of 1F1B",
    .paper = "Qi et al. 2024 (Zero Bubble), figure 3, top; table 2",
    .memory = "min(M, S)",
    .bubble = "(S-1)(F+I-W) if M >= S",
    .shape = Shape::line,
    .options = zeroBubbleCosts,
    .rows = rowsOf,
    .inFlight = inFlight,
    .bubbleTime = bubbleTime,
};

} // namespace plumbline::schedules
