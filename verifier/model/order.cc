#include "verifier/model/order.h"

#include <algorithm>

namespace plumbline::model {
namespace {

std::vector<std::uint32_t> inDegrees(const EventGraph &graph, llvm::ArrayRef<ExtraEdge> extra) {
  std::vector<std::uint32_t> degree(graph.eventCount(), 0);
  for (const Edge &edge : graph.edges)
    ++degree[edge.to];
  for (const ExtraEdge &edge : extra)
    ++degree[edge.to];
  for (const Event event : graph.impossible)
    ++degree[event]; // a debt that nothing pays
  return degree;
}

void sortByLevel(Order &order, llvm::ArrayRef<std::uint32_t> level, std::uint32_t levels, std::uint32_t events) {
  order.levelStarts.assign(levels + 1, 0);
  for (const Event event : order.sequence)
    ++order.levelStarts[level[event] + 1];
  for (std::uint32_t l = 0; l < levels; ++l)
    order.levelStarts[l + 1] += order.levelStarts[l];
  std::vector<bool> happens(events, false);
  for (const Event event : order.sequence)
    happens[event] = true;
  std::vector<std::uint32_t> next(order.levelStarts.begin(), order.levelStarts.end() - 1);
  order.position.assign(events, noIndex);
  for (Event event = 0; event < events; ++event)
    if (happens[event])
      order.position[event] = next[level[event]]++;
  for (Event event = 0; event < events; ++event)
    if (happens[event])
      order.sequence[order.position[event]] = event;
}

// Tarjan's algorithm without recursion, over the events that never happen.
class KnotFinder {
public:
  KnotFinder(const EventGraph &graph, const Order &order)
      : graph_(graph), order_(order), index_(graph.eventCount(), 0), low_(graph.eventCount(), 0),
        onStack_(graph.eventCount(), false) {}

  std::vector<std::vector<Event>> run() {
    for (Event event = 0; event < graph_.eventCount(); ++event)
      if (!order_.happens(event) && index_[event] == 0)
        visit(event);
    for (std::vector<Event> &knot : knots_)
      std::sort(knot.begin(), knot.end());
    std::sort(knots_.begin(), knots_.end());
    return std::move(knots_);
  }

private:
  struct Frame {
    Event event;
    std::uint32_t nextEdge;
  };

  void open(Event event) {
    index_[event] = low_[event] = ++counter_;
    stack_.push_back(event);
    onStack_[event] = true;
    frames_.push_back({event, 0});
  }

  void visit(Event root) {
    open(root);
    while (!frames_.empty()) {
      Frame &frame = frames_.back();
      const Event event = frame.event;
      const auto edges = graph_.out(event);
      if (frame.nextEdge < edges.size()) {
        const Event to = edges[frame.nextEdge++].to;
        if (index_[to] == 0 && !order_.happens(to))
          open(to);
        else if (onStack_[to])
          low_[event] = std::min(low_[event], index_[to]);
        continue;
      }
      frames_.pop_back();
      if (!frames_.empty())
        low_[frames_.back().event] = std::min(low_[frames_.back().event], low_[event]);
      if (low_[event] == index_[event])
        close(event);
    }
  }

  void close(Event root) {
    std::vector<Event> component;
    Event event = noEvent;
    do {
      event = stack_.back();
      stack_.pop_back();
      onStack_[event] = false;
      component.push_back(event);
    } while (event != root);
    if (component.size() > 1)
      knots_.push_back(std::move(component));
  }

  const EventGraph &graph_;
  const Order &order_;
  std::vector<std::uint32_t> index_, low_;
  std::vector<bool> onStack_;
  std::vector<Event> stack_;
  std::vector<Frame> frames_;
  std::uint32_t counter_ = 0;
  std::vector<std::vector<Event>> knots_;
};

} // namespace

Order orderEvents(const EventGraph &graph, llvm::ArrayRef<ExtraEdge> extra) {
  const std::uint32_t events = graph.eventCount();
  std::vector<std::uint32_t> degree = inDegrees(graph, extra), level(events, 0);
  std::vector<ExtraEdge> sorted(extra.begin(), extra.end());
  std::sort(sorted.begin(), sorted.end(), [](const ExtraEdge &a, const ExtraEdge &b) { return a.from < b.from; });
  Order order;
  order.sequence.reserve(events);
  for (Event event = 0; event < events; ++event)
    if (degree[event] == 0)
      order.sequence.push_back(event);
  std::uint32_t levels = 0;
  const auto release = [&](Event from, Event to) {
    level[to] = std::max(level[to], level[from] + 1);
    if (--degree[to] == 0)
      order.sequence.push_back(to);
  };
  for (std::size_t next = 0; next < order.sequence.size();) { // grows while it is read
    const Event event = order.sequence[next++];
    levels = std::max(levels, level[event] + 1);
    for (const Edge &edge : graph.out(event))
      release(event, edge.to);
    auto e = std::lower_bound(sorted.begin(), sorted.end(), event,
                              [](const ExtraEdge &edge, Event from) { return edge.from < from; });
    for (; e != sorted.end() && e->from == event; ++e)
      release(event, e->to);
  }
  sortByLevel(order, level, levels, events);
  return order;
}

std::vector<std::vector<Event>> findKnots(const EventGraph &graph, const Order &order) {
  return KnotFinder(graph, order).run();
}

} // namespace plumbline::model
