#include "verifier/model/event_graph.h"

#include "verifier/model/constraints.h"

namespace plumbline::model {
namespace {

// Counting sort by source; keeps the order of edges of one source.
void sortEdges(EventGraph &graph, const std::vector<Edge> &unsorted, std::uint32_t eventCount) {
  graph.outOffsets.assign(eventCount + 1, 0);
  for (const Edge &edge : unsorted)
    ++graph.outOffsets[edge.from + 1];
  for (std::uint32_t e = 0; e < eventCount; ++e)
    graph.outOffsets[e + 1] += graph.outOffsets[e];
  std::vector<std::uint32_t> next(graph.outOffsets.begin(), graph.outOffsets.end() - 1);
  graph.edges.resize(unsorted.size());
  for (const Edge &edge : unsorted)
    graph.edges[next[edge.from]++] = edge;
}

} // namespace

EventKind EventGraph::kindOf(Event event) const {
  const auto unitEvents = static_cast<Event>(2 * units.units.size());
  if (event < unitEvents)
    return event % 2 == 0 ? EventKind::begin : EventKind::end;
  return extraKind[event - unitEvents];
}

InstructionId EventGraph::instructionOf(Event event) const {
  const auto unitEvents = static_cast<Event>(2 * units.units.size());
  const std::uint32_t index =
      event < unitEvents ? units.units[event / 2].firstInstruction : extraOwner[event - unitEvents];
  return InstructionId(static_cast<std::int32_t>(index));
}

EventGraph buildEventGraph(const Program &program, const Options &options) {
  EventGraph graph;
  graph.units = makeUnits(program, options);
  graph.matching = matchMessages(program);
  ConstraintBuilder builder(program, options, graph);
  builder.addAll();
  const std::uint32_t eventCount = builder.eventCount();
  sortEdges(graph, builder.takeEdges(), eventCount);
  return graph;
}

} // namespace plumbline::model
