// DualPipeV: DualPipe with one model in place of two. It is cut in the middle and folded, so that its second half runs
// against its first on half as many ranks (deepseek-ai/DualPipe, step() of dualpipe/dualpipev.py; PyTorch,
// ScheduleDualPipeV; both give the same order, and both want at least as many microbatches as stages). `overlap=no` is
// what DeepSeek's program does for a model that has no overlapped call of its own.
//
// In flight and bubble are DualPipe's of twice the ranks: 2R+1 on every rank, and (R-1)(F&B+B-3W), where F&B is the
// time of an overlapped call; exact if a forward pass takes as long as either half of a backward pass. Without overlap
// the bubble is (R-1)(F+B-2W), our own form.
#include "schedules/dual/dual_row.h"
#include "schedules/families.h"

namespace plumbline::schedules {
namespace {

constexpr const char *yesNo[] = {"yes", "no"};
constexpr Option options[] = {{"overlap", "forward and backward pairs are one overlapped call", 0, 0, 0, yesNo}};

std::string refuse(const Request &request) {
  if (request.microbatches < request.stages)
    return "needs at least as many microbatches as stages (" + std::to_string(request.stages) + "); got " +
           std::to_string(request.microbatches);
  return "";
}

Rows rowsOf(const Request &request) {
  Rows rows;
  for (std::int32_t rank = 0; rank < request.ranks; ++rank) {
    DualRank of;
    of.inward = request.stage(0, rank);
    of.outward = request.stage(1, rank);
    of.depth = rank;
    of.depths = request.ranks;
    of.microbatches = request.microbatches;
    of.overlap = request.option("overlap") == 0;
    rows.push_back(dualRow(of));
  }
  return rows;
}

} // namespace

const Family dualpipeV = {
    .name = "dualpipe_v",
    .title = "DualPipe with one model, folded in the middle",
    .paper = "deepseek-ai/DualPipe, DualPipeV; PyTorch, ScheduleDualPipeV",
    .memory = "2R+1",
    .bubble = "(R-1)(F&B+B-3W), without overlap (R-1)(F+B-2W)",
    .shape = Shape::vee,
    .options = options,
    .refuse = refuse,
    .rows = rowsOf,
    .inFlight = [](const Request &request, std::int32_t) -> std::optional<std::int64_t> {
      return 2 * std::int64_t(request.ranks) + 1;
    },
    .bubbleTime = [](const Request &request) -> std::optional<std::int64_t> {
      const std::int64_t ofRank = request.option("overlap") == 0 ? 2 : 1;
      return (request.ranks - 1) * ofRank;
    },
};

} // namespace plumbline::schedules
