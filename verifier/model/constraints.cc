#include "verifier/model/constraints.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/STLExtras.h"

namespace plumbline::model {

ConstraintBuilder::ConstraintBuilder(const Program &program, const Options &options, EventGraph &graph)
    : program_(program), options_(options), graph_(graph) {
  edges_.reserve(program.instructions.size() * 3);
}

std::uint32_t ConstraintBuilder::eventCount() const {
  return static_cast<std::uint32_t>(2 * graph_.units.units.size() + graph_.extraKind.size());
}

Event ConstraintBuilder::newEvent(EventKind kind, std::uint32_t owner) {
  graph_.extraKind.push_back(kind);
  graph_.extraOwner.push_back(owner);
  return eventCount() - 1;
}

InstructionId ConstraintBuilder::send(const Channel &channel, std::uint32_t n) const {
  return graph_.matching.channelSends[channel.firstSend + n];
}
InstructionId ConstraintBuilder::receive(const Channel &channel, std::uint32_t n) const {
  return graph_.matching.channelReceives[channel.firstReceive + n];
}

void ConstraintBuilder::addAll() {
  addDurations();
  addLanes();
  addWaits();
  addMessages();
  addCollectives();
  if (options_.wait == Wait::group && options_.kind != Kind::blocking)
    addGates();
  if (options_.connect == Connect::firstUse)
    addConnections();
  if (options_.grouping == Grouping::atomic)
    addAtomicGroups();
}

// E(u) > B(u). Members of a launch have a completion of their own between the two: NCCL progresses the members of a
// group independently (NCCL user guide, "Group Calls"; corpus/field/NCCL_FACTS.md G1).
void ConstraintBuilder::addDurations() {
  const auto unitCount = static_cast<UnitIndex>(graph_.units.units.size());
  if (unitCount != program_.instructions.size())
    graph_.completions.resize(program_.instructions.size());
  for (UnitIndex u = 0; u < unitCount; ++u) {
    const Unit &unit = graph_.units.units[u];
    edge(graph_.beginOfUnit(u), graph_.endOfUnit(u), true, Reason::duration);
    if (graph_.completions.empty())
      continue;
    for (std::uint32_t m = 0; m < unit.memberCount; ++m) {
      const std::uint32_t index = unit.firstInstruction + m;
      if (unit.memberCount == 1) {
        graph_.completions[index] = graph_.endOfUnit(u);
        continue;
      }
      const Event done = newEvent(EventKind::completion, index);
      graph_.completions[index] = done;
      edge(graph_.beginOfUnit(u), done, true, Reason::duration);
      edge(done, graph_.endOfUnit(u), false, Reason::member);
    }
  }
}

// Rule 1. Neighbours suffice: B(next) >= E(previous) > B(previous) carries the order along the lane.
void ConstraintBuilder::addLanes() {
  const Units &units = graph_.units;
  for (std::uint32_t lane = 0; lane < units.laneCount(); ++lane)
    for (std::uint32_t k = units.laneOffsets[lane] + 1; k < units.laneOffsets[lane + 1]; ++k)
      edge(graph_.endOfUnit(units.laneUnits[k - 1]), graph_.beginOfUnit(units.laneUnits[k]), false, Reason::lane);
}

// Rule 2. A wait within a lane, or within a unit, adds nothing.
void ConstraintBuilder::addWaits() {
  for (const auto &[index, instruction] : llvm::enumerate(program_.instructions)) {
    const UnitIndex waiting = graph_.units.unitOf[index];
    for (const InstructionId w : program_.waitsOf(instruction)) {
      const UnitIndex awaited = graph_.unitOf(w);
      if (awaited != waiting && graph_.units.units[awaited].lane != graph_.units.units[waiting].lane)
        edge(graph_.endOfUnit(awaited), graph_.beginOfUnit(waiting), false, Reason::wait);
    }
  }
}

std::uint32_t ConstraintBuilder::roomOf(const Channel &channel) const {
  const std::int32_t own = program_.communicators[static_cast<std::size_t>(channel.communicator.value())].room;
  return static_cast<std::uint32_t>(std::max(0, own >= 0 ? own : options_.room));
}

void ConstraintBuilder::addMessages() {
  const bool atomic = options_.grouping == Grouping::atomic;
  for (const Channel &channel : graph_.matching.channels) {
    const std::uint32_t room = roomOf(channel);
    const std::uint32_t pairs = std::min(channel.sendCount, channel.receiveCount);
    if (options_.roomBytes >= 0 && !atomic) {
      if (options_.kind == Kind::mpi)
        addEager(channel);
      else
        addByteRoom(channel);
      continue;
    }
    if (room == 0 || atomic) {
      for (std::uint32_t n = 0; n < pairs; ++n)
        addRendezvous(send(channel, n), receive(channel, n));
      addUnmatched(channel);
      continue;
    }
    for (std::uint32_t n = 0; n < channel.sendCount; ++n)
      addBuffered(channel, n, room);
    for (std::uint32_t n = pairs; n < channel.receiveCount; ++n)
      graph_.impossible.push_back(graph_.completion(receive(channel, n)));
  }
}

// Rule 3. No program may rely on a send ending before its receive begins (NCCL_FACTS.md S1, S2).
void ConstraintBuilder::addRendezvous(InstructionId x, InstructionId y) {
  edge(graph_.begin(y), graph_.completion(x), true, Reason::rendezvous);
  edge(graph_.begin(x), graph_.completion(y), true, Reason::rendezvous);
}

// Without room, an end whose partner is never issued cannot complete.
void ConstraintBuilder::addUnmatched(const Channel &channel) {
  const std::uint32_t pairs = std::min(channel.sendCount, channel.receiveCount);
  for (std::uint32_t n = pairs; n < channel.sendCount; ++n)
    graph_.impossible.push_back(graph_.completion(send(channel, n)));
  for (std::uint32_t n = pairs; n < channel.receiveCount; ++n)
    graph_.impossible.push_back(graph_.completion(receive(channel, n)));
}

// Rule 4 for the n-th send of a channel with room for `room` > 0 messages.
void ConstraintBuilder::addBuffered(const Channel &channel, std::uint32_t n, std::uint32_t room) {
  const InstructionId x = send(channel, n);
  if (n < channel.receiveCount)
    edge(graph_.begin(x), graph_.completion(receive(channel, n)), true, Reason::arrival);
  if (n < room)
    return;
  if (n - room < channel.receiveCount)
    edge(graph_.completion(receive(channel, n - room)), graph_.completion(x), false, Reason::room);
  else
    graph_.impossible.push_back(graph_.completion(x));
}

// Rule 4 in bytes: the n-th message fits when all but the last few before it have been received. A message of unknown
// size, or larger than the room, is taken as a rendezvous.
void ConstraintBuilder::addByteRoom(const Channel &channel) {
  const auto limit = static_cast<std::uint64_t>(options_.roomBytes);
  const auto sizeOf = [&](std::uint32_t n) {
    const std::uint64_t bytes = program_.at(send(channel, n)).bytes;
    return bytes == 0 ? UINT64_MAX : bytes;
  };
  for (std::uint32_t n = 0; n < channel.receiveCount; ++n) {
    if (n < channel.sendCount)
      edge(graph_.begin(send(channel, n)), graph_.completion(receive(channel, n)), true, Reason::arrival);
    else
      graph_.impossible.push_back(graph_.completion(receive(channel, n)));
  }
  std::uint64_t held = 0; // bytes of messages first .. n-1, all of known size
  std::uint32_t first = 0;
  for (std::uint32_t n = 0; n < channel.sendCount; ++n) {
    const Event done = graph_.completion(send(channel, n));
    const std::uint64_t bytes = sizeOf(n);
    if (bytes > limit) { // rendezvous; nothing before it can still be under way when it ends
      if (n < channel.receiveCount)
        edge(graph_.begin(receive(channel, n)), done, true, Reason::rendezvous);
      else
        graph_.impossible.push_back(done);
      held = 0;
      first = n + 1;
      continue;
    }
    while (held + bytes > limit)
      held -= sizeOf(first++);
    held += bytes;
    if (first == 0)
      continue;
    if (first - 1 < channel.receiveCount)
      edge(graph_.completion(receive(channel, first - 1)), done, false, Reason::room);
    else
      graph_.impossible.push_back(done);
  }
}

// MPI: a message of at most the eager limit leaves the sender by itself; a larger one, or one of unknown size, is a
// rendezvous (MPI standard, section on communication modes; Open MPI's btl_*_eager_limit).
void ConstraintBuilder::addEager(const Channel &channel) {
  for (std::uint32_t n = 0; n < channel.sendCount; ++n) {
    const InstructionId x = send(channel, n);
    const std::uint64_t bytes = program_.at(x).bytes;
    const bool eager = bytes > 0 && bytes <= static_cast<std::uint64_t>(options_.roomBytes);
    if (n < channel.receiveCount)
      edge(graph_.begin(x), graph_.completion(receive(channel, n)), true, Reason::arrival);
    if (eager)
      continue;
    if (n < channel.receiveCount)
      edge(graph_.begin(receive(channel, n)), graph_.completion(x), true, Reason::rendezvous);
    else
      graph_.impossible.push_back(graph_.completion(x));
  }
  for (std::uint32_t n = channel.sendCount; n < channel.receiveCount; ++n)
    graph_.impossible.push_back(graph_.completion(receive(channel, n)));
}

// Rule 6: every member's end is after every member's begin. Beyond a few members by way of one event, the moment when
// all have joined, so that a collective of many ranks does not cost the square of their number.
void ConstraintBuilder::addCollectives() {
  constexpr std::size_t few = 16;
  for (const Collective &collective : graph_.matching.collectives) {
    if (!collective.missing.empty())
      for (const InstructionId member : collective.members)
        graph_.impossible.push_back(graph_.completion(member));
    if (collective.members.size() > few) {
      const Event joined = newEvent(EventKind::groupMoves, static_cast<std::uint32_t>(collective.members[0].value()));
      for (const InstructionId member : collective.members) {
        edge(graph_.begin(member), joined, true, Reason::joins);
        edge(joined, graph_.completion(member), true, Reason::collective);
      }
      continue;
    }
    for (const InstructionId member : collective.members)
      for (const InstructionId other : collective.members)
        if (graph_.unitOf(other) != graph_.unitOf(member))
          edge(graph_.begin(other), graph_.completion(member), true, Reason::collective);
  }
}

// --wait group: the host goes on only when its last launch has ended (Megatron-LM's batched p2p, DualPipe).
void ConstraintBuilder::addGates() {
  const Units &units = graph_.units;
  for (std::size_t r = 0; r + 1 < units.rankOffsets.size(); ++r) {
    UnitIndex last = noIndex;
    for (UnitIndex u = units.rankOffsets[r]; u < units.rankOffsets[r + 1]; ++u) {
      if (last != noIndex && units.units[last].lane != units.units[u].lane)
        edge(graph_.endOfUnit(last), graph_.beginOfUnit(u), false, Reason::gate);
      if (units.units[u].communicates)
        last = u;
    }
  }
}

// --connect first-use: connections of point-to-point traffic are made by the hosts of both ranks, at their first
// exchange on a communicator, and a host that waits there issues nothing more (NCCL_FACTS.md C2, C4, C5). The
// connections of one launch are made together, before its kernel starts (G5).
void ConstraintBuilder::addConnections() {
  HostSteps steps;
  for (std::size_t r = 0; r + 1 < graph_.units.rankOffsets.size(); ++r)
    addHostSteps(static_cast<std::int32_t>(r), steps);
  for (const auto &[key, step] : steps) {
    const auto &[communicator, ranks] = key;
    const auto partner = steps.find({communicator, {ranks.second, ranks.first}});
    if (partner == steps.end())
      graph_.impossible.push_back(step.end);
    else
      edge(partner->second.begin, step.end, true, Reason::connectPartner);
  }
}

// The host steps of one rank, one after another, each before the unit that it connects for and all behind that.
void ConstraintBuilder::addHostSteps(std::int32_t rank, HostSteps &steps) {
  const Units &units = graph_.units;
  Event lastHostEnd = noEvent;
  UnitIndex lastBlocking = noIndex; // the unit that the host itself waits for before it goes on
  const auto r = static_cast<std::size_t>(rank);
  for (UnitIndex u = units.rankOffsets[r]; u < units.rankOffsets[r + 1]; ++u) {
    const Unit &unit = units.units[u];
    llvm::SmallVector<HostStep *, 4> first; // the pairs that this unit is the first to use
    for (std::uint32_t m = 0; m < unit.memberCount; ++m) {
      const Instruction &i = program_.instructions[unit.firstInstruction + m];
      if (!isPointToPoint(i.opcode) || i.peer == i.rank)
        continue;
      const auto [entry, isNew] = steps.try_emplace({i.communicator.value(), {rank, i.peer.value()}});
      if (isNew)
        first.push_back(&entry->second);
    }
    if (!first.empty()) {
      const HostStep step{newEvent(EventKind::hostBegin, unit.firstInstruction),
                          newEvent(EventKind::hostEnd, unit.firstInstruction)};
      edge(step.begin, step.end, true, Reason::duration);
      if (lastHostEnd != noEvent)
        edge(lastHostEnd, step.begin, false, Reason::connectOrder);
      if (lastBlocking != noIndex)
        edge(graph_.endOfUnit(lastBlocking), step.begin, false, Reason::gate);
      for (HostStep *entry : first)
        *entry = step;
      lastHostEnd = step.end;
    }
    if (lastHostEnd != noEvent)
      edge(lastHostEnd, graph_.beginOfUnit(u), false, Reason::connect);
    if (options_.kind == Kind::blocking || (options_.wait == Wait::group && unit.communicates))
      lastBlocking = u;
  }
}

// --group atomic: nothing of a launch moves before every launch that it is tied to by messages has begun. Launches are
// tied transitively: a launch whose own partner cannot move keeps the others from moving too, which is how the hangs
// of NCCL_FACTS.md G5 (PiPPy 969) come about.
void ConstraintBuilder::addAtomicGroups() {
  const Matching &matching = graph_.matching;
  const auto unitCount = static_cast<UnitIndex>(graph_.units.units.size());
  llvm::IntEqClasses tied(unitCount);
  std::vector<bool> hasMessage(unitCount, false), incomplete(unitCount, false);
  for (std::size_t i = 0; i < program_.instructions.size(); ++i) {
    if (!isPointToPoint(program_.instructions[i].opcode))
      continue;
    const UnitIndex unit = graph_.units.unitOf[i];
    hasMessage[unit] = true;
    if (matching.partner[i].valid())
      tied.join(unit, graph_.unitOf(matching.partner[i]));
    else
      incomplete[unit] = true;
  }
  tied.compress();
  std::vector<Event> moves(tied.getNumClasses(), noEvent);
  for (UnitIndex u = 0; u < unitCount; ++u) {
    if (!hasMessage[u])
      continue;
    Event &move = moves[tied[u]];
    if (move == noEvent)
      move = newEvent(EventKind::groupMoves, graph_.units.units[u].firstInstruction);
    edge(graph_.beginOfUnit(u), move, true, Reason::atomic);
    if (incomplete[u])
      graph_.impossible.push_back(move);
  }
  for (std::size_t i = 0; i < program_.instructions.size(); ++i)
    if (isPointToPoint(program_.instructions[i].opcode))
      edge(moves[tied[graph_.units.unitOf[i]]], graph_.completion(InstructionId(static_cast<std::int32_t>(i))), true,
           Reason::atomic);
}

} // namespace plumbline::model
