// Which event is before which in every execution: the questions that slots ask.
//
// x is before y in every execution exactly if edges lead from x to y, in a graph without cycles.
#pragma once

#include "verifier/model/event_graph.h"
#include "verifier/model/order.h"

#include "llvm/ADT/SmallVector.h"

namespace plumbline::model {

// For one lane: the latest unit of it that has ended before each event, in every execution.
class LaneReach {
public:
  // One pass over the edges. Graph and order must outlive the object.
  LaneReach(const EventGraph &graph, const Order &order, std::uint32_t lane);

  // Number of units at the head of the lane that have ended before `event` in every execution.
  [[nodiscard]] std::uint32_t endedBefore(Event event) const { return ended_[event]; }

  // Edges from the end of the last such unit to `event`, first to last. Requires endedBefore(event) > 0.
  [[nodiscard]] llvm::SmallVector<Edge, 8> path(Event event) const;

private:
  const EventGraph &graph_;
  std::vector<std::uint32_t> ended_;
  std::vector<std::uint32_t> through_; // index of the edge by which the greatest count arrives; noIndex at a source
};

// Is there a path from `from` to `to`? Both must happen. Visits at most the events between their positions; writes
// the edges of a shortest path to `path` if given.
bool pathExists(const EventGraph &graph, const Order &order, Event from, Event to, std::vector<Edge> *path = nullptr);

} // namespace plumbline::model
