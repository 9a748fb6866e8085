#include "verifier/model/reach.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>

namespace plumbline::model {

LaneReach::LaneReach(const EventGraph &graph, const Order &order, std::uint32_t lane)
    : graph_(graph), ended_(graph.eventCount(), 0), through_(graph.eventCount(), noIndex) {
  const Units &units = graph.units;
  for (const Event event : order.sequence) {
    if (graph.kindOf(event) == EventKind::end && units.units[event / 2].lane == lane) {
      const std::uint32_t count = units.units[event / 2].positionInLane + 1;
      if (count >= ended_[event]) {
        ended_[event] = count;
        through_[event] = noIndex;
      }
    }
    if (ended_[event] == 0)
      continue;
    for (std::uint32_t k = graph.outOffsets[event]; k < graph.outOffsets[event + 1]; ++k) {
      const Event to = graph.edges[k].to;
      if (ended_[to] < ended_[event]) {
        ended_[to] = ended_[event];
        through_[to] = k;
      }
    }
  }
}

llvm::SmallVector<Edge, 8> LaneReach::path(Event event) const {
  llvm::SmallVector<Edge, 8> edges;
  while (through_[event] != noIndex) {
    edges.push_back(graph_.edges[through_[event]]);
    event = edges.back().from;
  }
  std::reverse(edges.begin(), edges.end());
  return edges;
}

bool pathExists(const EventGraph &graph, const Order &order, Event from, Event to, std::vector<Edge> *path) {
  const std::uint32_t limit = order.position[to];
  llvm::DenseMap<Event, std::uint32_t> through; // event -> index of the edge that first reached it
  std::vector<Event> queue = {from};
  through[from] = noIndex;
  for (std::size_t next = 0; next < queue.size() && !through.contains(to); ++next)
    for (std::uint32_t k = graph.outOffsets[queue[next]]; k < graph.outOffsets[queue[next] + 1]; ++k) {
      const Event event = graph.edges[k].to;
      if (order.happens(event) && order.position[event] <= limit && through.try_emplace(event, k).second)
        queue.push_back(event);
    }
  if (!through.contains(to))
    return false;
  if (path) {
    for (Event event = to; through[event] != noIndex; event = path->back().from)
      path->push_back(graph.edges[through[event]]);
    std::reverse(path->begin(), path->end());
  }
  return true;
}

} // namespace plumbline::model
