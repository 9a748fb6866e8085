// The constraint system of a Program under a communication model: events, and "not before" edges between them.
//
// An execution is an assignment of times to events that satisfies every edge; a program can finish exactly if one
// exists, that is, if no cycle of edges holds a strict one and no event is impossible. There is one graph per program;
// edges are flat arrays sorted by source.
#pragma once

#include "verifier/ir/program.h"
#include "verifier/model/matching.h"
#include "verifier/model/options.h"
#include "verifier/model/units.h"

#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace plumbline::model {

using Event = std::uint32_t;
inline constexpr Event noEvent = UINT32_MAX;

// Why an edge is there. One kind of constraint, one reason, one place in constraints.cc.
enum class Reason : std::uint8_t {
  duration,       // a unit ends after it begins
  member,         // a launch ends when each member is done
  lane,           // next in the queue
  wait,           // waits on an instruction
  rendezvous,     // a message moves only when both ends have begun
  arrival,        // a buffered message cannot be received before its send began
  room,           // a send needs the room that an earlier receive frees
  collective,     // a collective needs all its members
  joins,          // a member is one of those that a collective of many ranks needs
  gate,           // the host goes on only when its last launch has ended
  connect,        // a message needs its connection
  connectOrder,   // hosts connect one peer after another
  connectPartner, // a connection needs both hosts
  atomic,         // an atomic group moves when all launches tied to it are there
};

struct Edge {
  Event from = 0;
  Event to = 0; // time(to) >= time(from), strictly if `strict`
  bool strict = false;
  Reason reason = Reason::duration;
};

enum class EventKind : std::uint8_t {
  begin,
  end,
  completion, // of a member of a launch
  hostBegin,  // a host starts to connect
  hostEnd,
  groupMoves, // all that must be there is: of tied launches (--group atomic), or of a collective of many ranks
};

class EventGraph {
public:
  [[nodiscard]] std::uint32_t eventCount() const { return static_cast<std::uint32_t>(outOffsets.size()) - 1; }
  [[nodiscard]] Event beginOfUnit(UnitIndex unit) const { return 2 * unit; }
  [[nodiscard]] Event endOfUnit(UnitIndex unit) const { return 2 * unit + 1; }
  [[nodiscard]] Event begin(InstructionId i) const { return beginOfUnit(unitOf(i)); }
  [[nodiscard]] Event end(InstructionId i) const { return endOfUnit(unitOf(i)); }
  // When the instruction itself is done; for members of a group this may be before the group's end.
  [[nodiscard]] Event completion(InstructionId i) const {
    return completions.empty() ? end(i) : completions[static_cast<std::size_t>(i.value())];
  }
  [[nodiscard]] UnitIndex unitOf(InstructionId i) const { return units.unitOf[static_cast<std::size_t>(i.value())]; }
  [[nodiscard]] llvm::ArrayRef<Edge> out(Event event) const {
    return llvm::ArrayRef<Edge>(edges).slice(outOffsets[event], outOffsets[event + 1] - outOffsets[event]);
  }
  // What an event stands for.
  [[nodiscard]] EventKind kindOf(Event event) const;
  // The first instruction of the unit that an event belongs to (the member itself for a completion).
  [[nodiscard]] InstructionId instructionOf(Event event) const;

  Units units;
  Matching matching;
  std::vector<Edge> edges;               // sorted by `from`
  std::vector<std::uint32_t> outOffsets; // size eventCount + 1
  std::vector<Event> impossible;         // events that nothing can bring about: a partner is missing
  std::vector<Event> completions;        // per instruction; empty if no unit has several members
  std::vector<std::uint32_t> extraOwner; // for events beyond the units': an instruction index
  std::vector<EventKind> extraKind;
};

// Builds the graph. The Program must satisfy validate(). Time and memory are linear in instructions.
EventGraph buildEventGraph(const Program &program, const Options &options);

} // namespace plumbline::model
