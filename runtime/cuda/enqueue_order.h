// In which order the host puts the steps of a rank on its streams.
//
// Queues of a rank are independent in the model, and the host must not tie them together. It would, if it put work on a
// stream that cannot take more: that blocks it inside CUDA until the device has moved on (about 1000 launches a
// hardware queue; NCCL_FACTS C3), and what another queue needs, perhaps so that the device can move on, is never put
// there. So
// - what computes is put on its stream when the messages it waits for have come: the compute stream always moves;
// - of launches that may wait for other ranks only so many stand on a stream at a time.
// Where the host is to wait for each launch (--wait group), it goes in the order of the Program.
#pragma once

#include "runtime/plan/plan.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <deque>
#include <vector>

namespace plumbline::runtime::cuda {

class EnqueueOrder {
public:
  // `plan` must outlive it.
  EnqueueOrder(const Plan &plan, std::int32_t rank);

  // To begin again.
  void reset();
  [[nodiscard]] bool finished() const { return left_ == 0; }
  // The step to put on its streams now, which counts as done so; none: wait, and ask again. `over`: whether a launch
  // that was put there has ended.
  StepIndex next(llvm::function_ref<bool(StepIndex)> over);

private:
  using Over = llvm::function_ref<bool(StepIndex)>;

  // By step of the rank.
  struct State {
    llvm::SmallVector<StepIndex, 4> awaited; // steps of the rank that it waits for
    llvm::SmallVector<std::uint32_t, 2> queues;
    bool enqueued = false;
    bool over = false; // known to be
  };
  struct Queue {
    std::vector<StepIndex> steps;
    std::size_t at = 0;
    std::deque<StepIndex> pending; // launches that were not over when last looked at
  };

  [[nodiscard]] State &state(StepIndex step) { return states_[step - first_]; }
  bool isOver(StepIndex step, Over over);
  bool isNextOfItsQueues(StepIndex step);
  bool mayGo(StepIndex step, Over over);
  StepIndex take(StepIndex step);

  const Plan &plan_;
  const StepIndex first_;
  const bool inOrder_;
  std::vector<State> states_;
  std::vector<Queue> queues_;
  StepIndex nextInOrder_ = 0;
  std::size_t left_ = 0;
};

} // namespace plumbline::runtime::cuda
