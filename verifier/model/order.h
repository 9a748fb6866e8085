// A topological order of what can happen, and the knots in what cannot.
#pragma once

#include "verifier/model/event_graph.h"

#include <vector>

namespace plumbline::model {

struct ExtraEdge {
  Event from = 0;
  Event to = 0;
  bool strict = false;
};

// Events that happen in some (equivalently, every maximal) execution, by level: an event's level is one more than the
// greatest of those before it. Every edge leads to a higher level. Within a level, by event number, which makes the
// order repeat where the schedule repeats.
struct Order {
  std::vector<Event> sequence;
  std::vector<std::uint32_t> position;    // per event: index in `sequence`; noIndex if it never happens
  std::vector<std::uint32_t> levelStarts; // sequence indices; the last is sequence.size()

  [[nodiscard]] bool happens(Event event) const { return position[event] != noIndex; }
  [[nodiscard]] bool complete(const EventGraph &graph) const { return sequence.size() == graph.eventCount(); }
};

// Linear. `extra` edges are added to the graph's.
Order orderEvents(const EventGraph &graph, llvm::ArrayRef<ExtraEdge> extra = {});

// The strongly connected components, of more than one event, among those that never happen: each is a knot of waits
// that cannot be undone. Smallest event first within each; knots in order of their smallest event. Linear.
std::vector<std::vector<Event>> findKnots(const EventGraph &graph, const Order &order);

} // namespace plumbline::model
