// One function for each kind of constraint of DESIGN section 4; buildEventGraph calls them all.
#pragma once

#include "verifier/model/event_graph.h"

#include <map>

namespace plumbline::model {

class ConstraintBuilder {
public:
  ConstraintBuilder(const Program &program, const Options &options, EventGraph &graph);

  void addAll();
  [[nodiscard]] std::uint32_t eventCount() const;
  std::vector<Edge> takeEdges() { return std::move(edges_); }

private:
  void addDurations();
  void addLanes();
  void addWaits();
  void addMessages();
  void addRendezvous(InstructionId send, InstructionId receive);
  void addBuffered(const Channel &channel, std::uint32_t n, std::uint32_t room);
  void addByteRoom(const Channel &channel);
  void addEager(const Channel &channel);
  void addUnmatched(const Channel &channel);
  void addCollectives();
  void addGates();
  void addConnections();
  struct HostStep {
    Event begin = noEvent;
    Event end = noEvent;
  };
  // By communicator, own rank and peer: the step that connects them on the own side. Entries stay where they are.
  using HostSteps = std::map<std::pair<std::int32_t, std::pair<std::int32_t, std::int32_t>>, HostStep>;
  void addHostSteps(std::int32_t rank, HostSteps &steps);
  void addAtomicGroups();

  void edge(Event from, Event to, bool strict, Reason reason) { edges_.push_back({from, to, strict, reason}); }
  Event newEvent(EventKind kind, std::uint32_t owner);
  [[nodiscard]] InstructionId send(const Channel &channel, std::uint32_t n) const;
  [[nodiscard]] InstructionId receive(const Channel &channel, std::uint32_t n) const;
  [[nodiscard]] std::uint32_t roomOf(const Channel &channel) const;

  const Program &program_;
  const Options &options_;
  EventGraph &graph_;
  std::vector<Edge> edges_;
};

} // namespace plumbline::model
