// Chimera: two replicas of the model run against each other, one down the ranks and one up, each in 1F1B order with
// half of the microbatches; where one has a bubble the other has work (Li & Hoefler 2021, "Chimera: Efficiently
// Training Large-Scale Neural Networks with Bidirectional Pipelines", figure 3). With R microbatches this is the
// paper's basic unit. More of them are cut into units, one after the other, of which each begins in the bubbles at the
// end of the one before (the paper's direct concatenation). The paper wants whole units if there is more than one; here
// the last unit may have fewer microbatches, as a single unit may in the paper.
//
// All of this is laid out in slots, one for a forward or a backward pass. A pipeline starts a microbatch in every
// second slot, which moves on by a stage a slot, down and back; so the two pipelines use the even and the odd slots of
// a rank in turn and never meet. A unit repeats after 2R slots.
//
// In flight, with n = min(M, R)/2 and rank p from the nearer end: n + min(n, p+1), which for M >= R is R/2+1 to R as in
// the paper's table 2. Bubble: R-2 slots as in table 2. In time, with B = 2F, one unit idles for (R-2)B, as the paper's
// performance model says, where R forward and 2R-2 backward passes are on the critical path. For other sizes the form
// is our own, in units of F: 3R-4-M of up to R microbatches, (K+1)(R-2) of K whole units, and 2R-3-r more if r
// microbatches remain for a last one.
#include "schedules/families.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <vector>

namespace plumbline::schedules {
namespace {

std::string refuse(const Request &request) {
  if (request.ranks % 2 != 0)
    return "needs an even number of ranks; got " + std::to_string(request.ranks);
  if (request.microbatches % 2 != 0)
    return "needs an even number of microbatches, half of them in each direction; got " +
           std::to_string(request.microbatches);
  return "";
}

struct Slotted {
  std::int64_t slot = 0;
  Opcode opcode = Opcode::forward;
  StageId stage;
  std::int32_t microbatch = 0;
};

std::vector<Slotted> slotsOf(const Request &request, std::int32_t rank) {
  std::vector<Slotted> slots;
  slots.reserve(2 * static_cast<std::size_t>(request.microbatches));
  const std::int32_t ofUnit = request.ranks / 2; // microbatches in each direction
  const std::int64_t lapOfUnit = 2 * std::int64_t(request.ranks);
  for (const std::int32_t direction : {0, 1}) {
    const StageId stage = request.stage(direction, rank);
    const std::int32_t position = stage.value() % request.stages; // along the pipeline
    for (std::int32_t m = 0; m < request.microbatches / 2; ++m) {
      const std::int64_t start = m / ofUnit * lapOfUnit + 2 * std::int64_t(m % ofUnit);
      slots.push_back({start + position, Opcode::forward, stage, m});
      slots.push_back({start + lapOfUnit - 1 - position, Opcode::backward, stage, m});
    }
  }
  llvm::sort(slots, [](const Slotted &a, const Slotted &b) { return a.slot < b.slot; });
  return slots;
}

Rows rowsOf(const Request &request) {
  Rows rows(static_cast<std::size_t>(request.ranks));
  for (std::int32_t rank = 0; rank < request.ranks; ++rank)
    for (const Slotted &slotted : slotsOf(request, rank))
      rows[static_cast<std::size_t>(rank)].add(slotted.opcode, slotted.stage, slotted.microbatch);
  return rows;
}

std::optional<std::int64_t> inFlight(const Request &request, std::int32_t rank) {
  const std::int32_t each = std::min(request.microbatches, request.ranks) / 2;
  const std::int32_t fromEnd = std::min(rank, request.ranks - 1 - rank);
  return each + std::min(each, fromEnd + 1);
}

std::optional<std::int64_t> bubbleTime(const Request &request) {
  const std::int64_t ranks = request.ranks, microbatches = request.microbatches;
  if (microbatches <= ranks)
    return 3 * ranks - 4 - microbatches;
  const std::int64_t units = microbatches / ranks, rest = microbatches % ranks;
  return (units + 1) * (ranks - 2) + (rest == 0 ? 0 : 2 * ranks - 3 - rest);
}

} // namespace

const Family chimera = {
    .name = "chimera",
    .title = "two 1F1B pipelines in opposite directions, merged",
    .paper = "Li & Hoefler 2021 (Chimera), figure 3",
    .memory = "R/2+1 to R (M >= R)",
    .bubble = "(M/R+1)(R-2)F with B = 2F, if R divides M",
    .shape = Shape::bidirectional,
    .refuse = refuse,
    .rows = rowsOf,
    .inFlight = inFlight,
    .bubbleTime = bubbleTime,
};

} // namespace plumbline::schedules
