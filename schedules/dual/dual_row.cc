#include "schedules/dual/dual_row.h"

#include <utility>
#include <vector>

namespace plumbline::schedules {
namespace {

// One of the two stages of the rank: the passes that it ran so far.
struct Flow {
  StageId stage;
  std::int32_t forwards = 0;
  std::int32_t backwards = 0; // full ones and input halves
};

class DualWriter {
public:
  explicit DualWriter(const DualRank &rank)
      : rank_(rank), inner_(rank.depths - 1 - rank.depth), inward_{rank.inward}, outward_{rank.outward} {}

  Row write() {
    fill();
    steady();
    drain();
    return std::move(row_);
  }

private:
  // Twice as many microbatches come in as there are ranks to the middle. Until gradients arrive for the inward stage,
  // each gradient of the outward one is sent on before its weight half runs.
  void fill() {
    for (std::int32_t k = 0; k < 2 * inner_; ++k)
      forward(inward_);
    for (std::int32_t k = 0; k <= rank_.depth; ++k) {
      forward(inward_);
      forward(outward_);
    }
    for (std::int32_t k = 0; k < inner_; ++k) {
      backwardInput(outward_);
      oldestWeights();
      forward(outward_);
    }
  }

  void steady() {
    const std::int32_t rounds = rank_.microbatches - 2 * rank_.depths + rank_.depth + 1;
    for (std::int32_t k = 0; k < rounds; ++k) {
      // The first gradient takes longest to get to the middle; the forward pass there does not wait for it.
      pair(inward_, outward_, rank_.overlap && (k > 0 || inner_ > 0));
      pair(outward_, inward_, rank_.overlap);
    }
  }

  // Nothing comes in any more. Weight halves are kept back until the end, where nothing else is left to do.
  void drain() {
    for (std::int32_t k = 0; k < inner_; ++k) {
      backward(outward_);
      pair(outward_, inward_, rank_.overlap);
    }
    for (std::int32_t k = 0; k < 2 * (rank_.depth + 1); ++k) {
      Flow &flow = k % 2 == 0 ? outward_ : inward_;
      if (k <= rank_.depth)
        backward(flow);
      else
        backwardInput(flow);
    }
    for (std::int32_t k = 0; k < inner_; ++k) {
      oldestWeights();
      backwardInput(inward_);
    }
    while (oldest_ < halves_.size())
      oldestWeights();
  }

  void forward(Flow &flow) { row_.forward(flow.stage, flow.forwards++); }
  void backward(Flow &flow) { row_.backward(flow.stage, flow.backwards++); }
  void backwardInput(Flow &flow) {
    halves_.push_back({flow.stage, flow.backwards});
    row_.backwardInput(flow.stage, flow.backwards++);
  }
  void oldestWeights() {
    const Half &half = halves_[oldest_++];
    row_.backwardWeight(half.stage, half.microbatch);
  }
  void pair(Flow &forwardFlow, Flow &backwardFlow, bool overlap) {
    if (overlap) {
      row_.overlapped(forwardFlow.stage, forwardFlow.forwards++, backwardFlow.stage, backwardFlow.backwards++);
      return;
    }
    forward(forwardFlow);
    backward(backwardFlow);
  }

  // An input half.
  struct Half {
    StageId stage;
    std::int32_t microbatch = 0;
  };

  const DualRank &rank_;
  const std::int32_t inner_; // ranks between this one and the middle
  Flow inward_;
  Flow outward_;
  std::vector<Half> halves_;
  std::size_t oldest_ = 0; // of halves_, the first whose weight half did not run
  Row row_;
};

} // namespace

Row dualRow(const DualRank &rank) { return DualWriter(rank).write(); }

} // namespace plumbline::schedules
