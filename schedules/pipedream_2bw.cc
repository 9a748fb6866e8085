// PipeDream-2BW: 1F1B that never flushes and keeps two versions of the weights (Narayanan et al. 2021,
// "Memory-Efficient Pipeline-Parallel DNN Training", figure 2 and section 3.1). The gradients of `batch` microbatches
// are summed up to one update. Batch t computes, on every stage, with the version that the update of batch t-2 made,
// the first two with the initial one: a delay of one update, W(t+1) = W(t) - v grad(W(t-1)). A row is one run from a
// cold start to the end.
//
// Actions about weights carry the microbatch that they belong to. `optimizer_step` after the last backward pass of a
// batch makes the next version. `stash_weights`, with the first microbatch of a batch, keeps the newest version for
// that batch: at the start for the first two, then for batch t+2 right after the update of batch t, before any pass of
// it can begin. `pick_weights`, also with the first microbatch of a batch, makes the version of that batch current; it
// stands before each pass that uses another version than the pass before.
//
// In flight: min(M, S-s) on stage s, with two versions of the weights. There is no bubble but that of the cold start
// and the end, once a run: (S-1)(F+B) on the first stage.
#include "schedules/alternation/alternation.h"
#include "schedules/families.h"
#include "verifier/ir/limits.h"

#include <algorithm>
#include <utility>

namespace plumbline::schedules {
namespace {

constexpr Option options[] = {
    {"batch", "microbatches of one update, at least as many as ranks (0: as many)", 0, 0, maxNumber}};

std::int32_t batchOf(const Request &request) {
  const std::int64_t batch = request.option("batch");
  return batch == 0 ? request.ranks : static_cast<std::int32_t>(batch);
}

std::string refuse(const Request &request) {
  const std::int32_t batch = batchOf(request);
  if (batch < request.ranks)
    return "needs a batch of at least as many microbatches as there are ranks (" + std::to_string(request.ranks) +
           "), for two versions of the weights to be enough; got " + std::to_string(batch);
  if (request.microbatches % batch != 0)
    return "needs a number of microbatches that is divisible by the batch (" + std::to_string(batch) + "); got " +
           std::to_string(request.microbatches);
  return "";
}

// The row of one stage.
class Writer {
public:
  Writer(const Request &request, StageId stage)
      : stage_(stage), microbatches_(request.microbatches), batch_(batchOf(request)),
        warmUp_(request.stages - 1 - stage.value()) {}

  Row write() {
    stash(0);
    stash(1);
    alternate(
        warmUp_, microbatches_, [this](std::int32_t m) { forward(m); }, [this](std::int32_t m) { backward(m); });
    return std::move(row_);
  }

private:
  void forward(std::int32_t microbatch) {
    pick(microbatch / batch_);
    row_.forward(stage_, microbatch);
  }

  void backward(std::int32_t microbatch) {
    const std::int32_t batch = microbatch / batch_;
    pick(batch);
    row_.backward(stage_, microbatch);
    if ((microbatch + 1) % batch_ != 0)
      return;
    row_.add(Opcode::optimizer_step, stage_, microbatch);
    stash(batch + 2);
  }

  void stash(std::int32_t batch) {
    if (batch < microbatches_ / batch_)
      row_.add(Opcode::stash_weights, stage_, batch * batch_);
  }

  void pick(std::int32_t batch) {
    const std::int32_t version = std::max(batch - 1, 0); // as many updates made it
    if (version != current_)
      row_.add(Opcode::pick_weights, stage_, batch * batch_);
    current_ = version;
  }

  const StageId stage_;
  const std::int32_t microbatches_;
  const std::int32_t batch_;
  const std::int32_t warmUp_;
  std::int32_t current_ = -1; // version of the pass before
  Row row_;
};

Rows rowsOf(const Request &request) {
  Rows rows;
  for (std::int32_t rank = 0; rank < request.ranks; ++rank)
    rows.push_back(Writer(request, StageId(rank)).write());
  return rows;
}

} // namespace

const Family pipedream2bw = {
    .name = "pipedream_2bw",
    .title = "1F1B without a flush, two versions of the weights",
    .paper = "Narayanan et al. 2021 (PipeDream-2BW), figure 2",
    .memory = "min(M, S-s), and 2 versions of the weights",
    .bubble = "(S-1)(F+B), once a run",
    .shape = Shape::line,
    .options = options,
    .refuse = refuse,
    .rows = rowsOf,
    .inFlight = [](const Request &request, std::int32_t rank) -> std::optional<std::int64_t> {
      return std::min(request.microbatches, request.stages - rank);
    },
    .bubbleTime = [](const Request &request) -> std::optional<std::int64_t> {
      return 3 * std::int64_t(request.stages - 1);
    },
};

} // namespace plumbline::schedules
