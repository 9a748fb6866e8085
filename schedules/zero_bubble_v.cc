// ZB-V: zero bubble on a V of two chunks a rank, with split backward passes (Qi et al. 2024, "Zero Bubble Pipeline
// Parallelism", section 6 and figure 5; "Pipeline Parallelism with Controllable Memory" calls it V-ZB). Two orders:
//
// - zero-bubble: what the zero-bubble project's zbv scheduler (commit 39f2c186) finds for given costs; see
//   vee/fill_bubbles.h, also for where it differs.
// - pytorch: the fixed order of torch.distributed.pipelining, class ScheduleZBVZeroBubble (PyTorch main, commit
//   00722e64). It is made for at least 2R-1 microbatches; if there are fewer, the surplus is left out.
//
// With R ranks. In flight: 2R chunks on every rank, as the paper says, from M = 2R-1 on. Bubble: none, from M = 2R-1 on
// and with equal costs. The paper says nothing about fewer microbatches. There the search is as good as any order can
// be: rank 0 gets microbatch 0 back 2R-1 after its begin, with all but the M forward passes of chunk 0, 5M, still to
// do, and so idles 2R-1+5M-6M or more; and it gets the gradient for chunk 0 back after 4R-1 with 2M still to do. The
// fixed order idles twice as long as the first of the two. What low ranks hold then depends on how the search came
// out, except that up to M = R/2 all ranks hold all there is.
#include "schedules/families.h"
#include "schedules/vee/fill_bubbles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace plumbline::schedules {
namespace {

constexpr const char *orders[] = {"zero-bubble", "pytorch"};
constexpr std::int64_t mostCost = 1'000'000;
constexpr Option costs[] = {
    {"cost_f", "time of a forward pass, for the zero-bubble order", 1000, 1, mostCost},
    {"cost_i", "time of the input half of a backward pass, for the zero-bubble order", 1000, 1, mostCost},
    {"cost_w", "time of the weight half of a backward pass, for the zero-bubble order", 1000, 1, mostCost},
    {"cost_comm", "time of a message between two ranks, for the zero-bubble order", 1, 0, mostCost},
};
constexpr Option options[] = {
    {"order", "whose order", 0, 0, 0, orders}, costs[0], costs[1], costs[2], costs[3],
};

bool isPyTorch(const Request &request) { return request.option("order") == 1; }

bool costsAreInitial(const Request &request) {
  return llvm::all_of(costs, [&](const Option &cost) { return request.option(cost.name) == cost.initial; });
}

// PyTorch's order of one rank. All its loops are fixed by the rank and the number of microbatches.
class FixedOrder {
public:
  FixedOrder(const Request &request, std::int32_t rank) : request_(request), rank_(rank) {}

  Row run() {
    const std::int32_t below = request_.ranks - rank_; // this rank and those after it
    const std::int32_t planned = std::max(2 * request_.ranks - 1, request_.microbatches);
    times(2 * below - 1, [&] { forward(0); });
    times(rank_, [&] {
      forward(1);
      forward(0);
    });
    times(below, [&] {
      forward(1);
      backward(1);
    });
    times(planned - request_.ranks, [&] {
      forward(0);
      backward(0);
      forward(1);
      backward(1);
    });
    coolDown(below);
    return std::move(row_);
  }

private:
  void coolDown(std::int32_t below) {
    times(rank_, [&] {
      input(0);
      input(1);
    });
    times(below, [&] { backward(0); });
    for (const std::size_t chunk : {1, 0})
      while (weights_[chunk] < inputs_[chunk])
        weight(chunk);
  }

  // A loop that goes on longer than there are microbatches leaves none of them to do.
  void times(std::int32_t count, llvm::function_ref<void()> body) const {
    for (std::int32_t k = 0; k < std::min(count, request_.microbatches); ++k)
      body();
  }

  void add(Opcode opcode, std::size_t chunk, std::int32_t microbatch) {
    if (microbatch < request_.microbatches)
      row_.add(opcode, request_.stage(static_cast<std::int32_t>(chunk), rank_), microbatch);
  }
  void forward(std::size_t chunk) { add(Opcode::forward, chunk, forwards_[chunk]++); }
  void input(std::size_t chunk) { add(Opcode::backward_input, chunk, inputs_[chunk]++); }
  void weight(std::size_t chunk) { add(Opcode::backward_weight, chunk, weights_[chunk]++); }
  void backward(std::size_t chunk) {
    input(chunk);
    weight(chunk);
  }

  const Request &request_;
  std::int32_t rank_;
  Row row_;
  std::array<std::int32_t, 2> forwards_ = {}, inputs_ = {}, weights_ = {}; // by chunk
};

Rows rowsOf(const Request &request) {
  if (!isPyTorch(request))
    return vee::fillBubbles(request, {request.option("cost_f"), request.option("cost_i"), request.option("cost_w"),
                                      request.option("cost_comm")});
  Rows rows;
  for (std::int32_t rank = 0; rank < request.ranks; ++rank)
    rows.push_back(FixedOrder(request, rank).run());
  return rows;
}

std::string refuse(const Request &request) {
  if (isPyTorch(request) && !costsAreInitial(request))
    return "takes costs only with order=zero-bubble; PyTorch's order is made without them";
  return "";
}

std::optional<std::int64_t> inFlight(const Request &request, std::int32_t rank) {
  const std::int64_t ranks = request.ranks, microbatches = request.microbatches;
  if (isPyTorch(request))
    return std::min({2 * microbatches, microbatches + 1 + rank, 2 * ranks});
  if (microbatches >= 2 * ranks - 1 || rank == ranks - 1 || (2 * microbatches <= ranks && costsAreInitial(request)))
    return std::min(2 * microbatches, 2 * ranks);
  return std::nullopt;
}

std::optional<std::int64_t> bubbleTime(const Request &request) {
  const std::int64_t ranks = request.ranks, microbatches = request.microbatches;
  const std::int64_t missing = 2 * ranks - 1 - microbatches;
  if (isPyTorch(request))
    return std::max<std::int64_t>(0, 2 * missing);
  if (!costsAreInitial(request))
    return std::nullopt; // an order for other times
  return std::max<std::int64_t>({0, missing, 4 * (ranks - microbatches) - 1});
}

} // namespace

const Family zeroBubbleV = {
    .name = "zb_v",
    .title = "zero bubble on a V of two chunks a rank, split backward",
    .paper = "Qi et al. 2024 (Zero Bubble), section 6 and figure 5; PyTorch ScheduleZBVZeroBubble",
    .memory = "2R chunks, if M >= 2R-1",
    .bubble = "0, if M >= 2R-1",
    .shape = Shape::vee,
    .options = options,
    .refuse = refuse,
    .rows = rowsOf,
    .inFlight = inFlight,
    .bubbleTime = bubbleTime,
};

} // namespace plumbline::schedules
