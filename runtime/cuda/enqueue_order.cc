#include "runtime/cuda/enqueue_order.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace plumbline::runtime::cuda {
namespace {

// On one stream; several CUDA launches each, and far from a thousand.
constexpr std::size_t mostPending = 64;

} // namespace

EnqueueOrder::EnqueueOrder(const Plan &plan, std::int32_t rank)
    : plan_(plan), first_(plan.rankSteps[static_cast<std::size_t>(rank)]),
      inOrder_(plan.options.wait == model::Wait::group),
      states_(plan.rankSteps[static_cast<std::size_t>(rank) + 1] - first_) {
  for (StepIndex step = first_; step < first_ + states_.size(); ++step)
    for (const StepIndex after : plan.followersOfStep(step))
      state(after).awaited.push_back(step);
  for (std::uint32_t lane = plan.rankLanes[static_cast<std::size_t>(rank)];
       lane < plan.rankLanes[static_cast<std::size_t>(rank) + 1]; ++lane) {
    for (const StepIndex step : plan.lanes[lane].steps)
      state(step).queues.push_back(static_cast<std::uint32_t>(queues_.size()));
    queues_.push_back({plan.lanes[lane].steps, 0, {}});
  }
  reset();
}

void EnqueueOrder::reset() {
  nextInOrder_ = first_;
  left_ = states_.size();
  for (State &each : states_)
    each.enqueued = each.over = false;
  for (Queue &queue : queues_) {
    queue.at = 0;
    queue.pending.clear();
  }
}

bool EnqueueOrder::isOver(StepIndex step, Over over) {
  State &own = state(step);
  own.over = own.over || (own.enqueued && (plan_.steps[step].members == 0 || over(step)));
  return own.over;
}

bool EnqueueOrder::isNextOfItsQueues(StepIndex step) {
  return llvm::all_of(state(step).queues, [&](std::uint32_t queue) {
    const Queue &own = queues_[queue];
    return own.at < own.steps.size() && own.steps[own.at] == step;
  });
}

bool EnqueueOrder::mayGo(StepIndex step, Over over) {
  const Step &own = plan_.steps[step];
  for (const StepIndex before : state(step).awaited)
    if (!state(before).enqueued || (own.computes && plan_.steps[before].communicates && !isOver(before, over)))
      return false;
  if (!own.communicates)
    return true;
  return llvm::all_of(state(step).queues, [&](std::uint32_t index) {
    std::deque<StepIndex> &pending = queues_[index].pending;
    while (!pending.empty() && isOver(pending.front(), over))
      pending.pop_front();
    return pending.size() < mostPending;
  });
}

StepIndex EnqueueOrder::take(StepIndex step) {
  State &own = state(step);
  own.enqueued = true;
  --left_;
  for (const std::uint32_t queue : own.queues) {
    ++queues_[queue].at;
    if (plan_.steps[step].communicates)
      queues_[queue].pending.push_back(step);
  }
  return step;
}

// Of several the first in the Program, as its author meant.
StepIndex EnqueueOrder::next(Over over) {
  if (inOrder_)
    return finished() || !mayGo(nextInOrder_, over) ? none : take(nextInOrder_++);
  StepIndex best = none;
  for (const Queue &queue : queues_)
    if (queue.at < queue.steps.size())
      if (const StepIndex step = queue.steps[queue.at]; step < best && isNextOfItsQueues(step) && mayGo(step, over))
        best = step;
  return best == none ? none : take(best);
}

} // namespace plumbline::runtime::cuda
