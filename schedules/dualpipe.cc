// DualPipe: two replicas of the model run against each other, so that each rank always has a forward pass of the one
// and a backward pass of the other to overlap, with what they send (DeepSeek-AI 2024, "DeepSeek-V3 Technical Report",
// figure 5 and table 2; deepseek-ai/DualPipe, step() of dualpipe/dualpipe.py). Half of the microbatches run in each
// direction. `overlap=no` is what that program does for a model that has no overlapped call of its own.
//
// In flight: R+1 on every rank, as table 2 says. Bubble: (R/2-1)(F&B+B-3W), where F&B is the time of an overlapped
// call. Table 2's form is exact if a forward pass takes as long as either half of a backward pass. Without overlap our
// own form takes its place: (R/2-1)(F+B-2W), a chain of R/2-1 ranks as in ZB-H1, since each F then ends before its B.
#include "schedules/dual/dual_row.h"
#include "schedules/families.h"

#include <algorithm>

namespace plumbline::schedules {
namespace {

constexpr const char *yesNo[] = {"yes", "no"};
constexpr Option options[] = {{"overlap", "forward and backward pairs are one overlapped call", 0, 0, 0, yesNo}};

std::string refuse(const Request &request) {
  const std::string got = "; got " + std::to_string(request.microbatches);
  if (request.ranks % 2 != 0)
    return "needs an even number of ranks; got " + std::to_string(request.ranks);
  if (request.microbatches % 2 != 0)
    return "needs an even number of microbatches, half of them in each direction" + got;
  if (request.microbatches < 2 * request.ranks)
    return "needs at least twice as many microbatches as ranks (" + std::to_string(2 * request.ranks) + ")" + got;
  return "";
}

Rows rowsOf(const Request &request) {
  Rows rows;
  for (std::int32_t rank = 0; rank < request.ranks; ++rank) {
    const bool firstHalf = rank < request.ranks / 2;
    DualRank of;
    of.inward = request.stage(firstHalf ? 0 : 1, rank);
    of.outward = request.stage(firstHalf ? 1 : 0, rank);
    of.depth = std::min(rank, request.ranks - 1 - rank);
    of.depths = request.ranks / 2;
    of.microbatches = request.microbatches / 2;
    of.overlap = request.option("overlap") == 0;
    rows.push_back(dualRow(of));
  }
  return rows;
}

} // namespace

const Family dualpipe = {
    .name = "dualpipe",
    .title = "two replicas that run against each other, forward and backward passes overlapped",
    .paper = "DeepSeek-V3 Technical Report 2024, figure 5 and table 2",
    .memory = "R+1",
    .bubble = "(R/2-1)(F&B+B-3W), without overlap (R/2-1)(F+B-2W)",
    .shape = Shape::bidirectional,
    .options = options,
    .refuse = refuse,
    .rows = rowsOf,
    .inFlight = [](const Request &request, std::int32_t) -> std::optional<std::int64_t> { return request.ranks + 1; },
    .bubbleTime = [](const Request &request) -> std::optional<std::int64_t> {
      const std::int64_t ofRank = request.option("overlap") == 0 ? 2 : 1;
      return (request.ranks / 2 - 1) * ofRank;
    },
};

} // namespace plumbline::schedules
