#include "verifier/model/cycle.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/IntEqClasses.h"

#include <algorithm>
#include <deque>

namespace plumbline::model {
namespace {

// Breadth-first search in which edges of cost 0 go to the front of the queue.
class CycleSearch {
public:
  CycleSearch(const EventGraph &graph, llvm::ArrayRef<Event> knot, std::uint64_t effort)
      : graph_(graph), knot_(knot), effortLeft_(effort) {
    for (std::uint32_t k = 0; k < knot.size(); ++k)
      local_[knot[k]] = k;
    distance_.assign(knot.size(), noIndex);
    through_.assign(knot.size(), noIndex);
  }

  std::vector<Edge> run(bool *exact) {
    // The least possible number of waits is one: a rank that waits for itself.
    for (const Event event : knot_)
      for (std::uint32_t k = graph_.outOffsets[event]; k < graph_.outOffsets[event + 1]; ++k) {
        if (!isWaitStep(graph_.edges[k].reason) || !local_.contains(graph_.edges[k].to))
          continue;
        searchBackTo(k);
        if (bestWaits_ <= 1 || (bestWaits_ == 2 && !selfWaitPossible()) || effortLeft_ == 0) {
          if (exact)
            *exact = effortLeft_ > 0;
          return std::move(best_);
        }
      }
    if (exact)
      *exact = true;
    return std::move(best_);
  }

private:
  // Can one wait close a cycle? Only if it joins two units of one queue, of one launch, or of queues that a launch on
  // several communicators joins: no other path does without a wait.
  bool selfWaitPossible() {
    if (selfWait_ < 0) {
      selfWait_ = 0;
      const llvm::IntEqClasses joined = joinedLanes();
      for (const Event event : knot_)
        for (const Edge &edge : graph_.out(event))
          if (isWaitStep(edge.reason) && local_.contains(edge.to) &&
              joined[laneOf(edge.from)] == joined[laneOf(edge.to)])
            selfWait_ = 1;
    }
    return selfWait_ == 1;
  }
  [[nodiscard]] llvm::IntEqClasses joinedLanes() const {
    const Units &units = graph_.units;
    llvm::IntEqClasses joined(units.laneCount());
    for (std::uint32_t lane = 0; lane < units.laneCount(); ++lane)
      for (std::uint32_t k = units.laneOffsets[lane]; k < units.laneOffsets[lane + 1]; ++k)
        joined.join(lane, units.units[units.laneUnits[k]].lane);
    joined.compress();
    return joined;
  }
  [[nodiscard]] std::uint32_t laneOf(Event event) const {
    return graph_.units.units[graph_.unitOf(graph_.instructionOf(event))].lane;
  }

  // Shortest way from the head of edge `start` back to its tail.
  void searchBackTo(std::uint32_t start) {
    const Edge first = graph_.edges[start];
    for (const std::uint32_t k : touched_)
      distance_[k] = noIndex;
    touched_.clear();
    std::deque<Event> queue;
    reach(first.to, 1, start, queue, true);
    while (!queue.empty()) {
      const Event event = queue.front();
      queue.pop_front();
      const std::uint32_t waits = distance_[local_[event]];
      if (event == first.from) {
        keep(start);
        return;
      }
      for (std::uint32_t k = graph_.outOffsets[event]; k < graph_.outOffsets[event + 1]; ++k) {
        if (effortLeft_ > 0)
          --effortLeft_;
        const Edge &edge = graph_.edges[k];
        const bool costs = isWaitStep(edge.reason);
        if (waits + costs < bestWaits_ && local_.contains(edge.to))
          reach(edge.to, waits + costs, k, queue, costs);
      }
      if (effortLeft_ == 0 && bestWaits_ != noIndex)
        return;
    }
  }

  void reach(Event event, std::uint32_t waits, std::uint32_t edge, std::deque<Event> &queue, bool atBack) {
    const std::uint32_t k = local_[event];
    if (distance_[k] <= waits)
      return;
    if (distance_[k] == noIndex)
      touched_.push_back(k);
    distance_[k] = waits;
    through_[k] = edge;
    if (atBack)
      queue.push_back(event);
    else
      queue.push_front(event);
  }

  void keep(std::uint32_t start) {
    bestWaits_ = distance_[local_[graph_.edges[start].from]];
    best_.clear();
    for (Event event = graph_.edges[start].from;;) {
      const std::uint32_t k = through_[local_[event]];
      best_.push_back(graph_.edges[k]);
      if (k == start)
        break;
      event = graph_.edges[k].from;
    }
    std::reverse(best_.begin(), best_.end());
  }

  const EventGraph &graph_;
  llvm::ArrayRef<Event> knot_;
  std::uint64_t effortLeft_;
  llvm::DenseMap<Event, std::uint32_t> local_;
  std::vector<std::uint32_t> distance_, through_, touched_;
  std::uint32_t bestWaits_ = noIndex;
  int selfWait_ = -1; // not known yet
  std::vector<Edge> best_;
};

} // namespace

bool isWaitStep(Reason reason) {
  return reason != Reason::lane && reason != Reason::duration && reason != Reason::member && reason != Reason::joins;
}

std::vector<Edge> shortestCycle(const EventGraph &graph, llvm::ArrayRef<Event> knot, std::uint64_t effort,
                                bool *exact) {
  return CycleSearch(graph, knot, effort).run(exact);
}

} // namespace plumbline::model
