#include "verifier/check/streams.h"

#include "verifier/ir/words.h"
#include "verifier/smt/exclusive.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace plumbline::check {
namespace {

using model::Event;
using model::EventKind;

// Units of the event graph, and host steps, as units that an adversary schedules.
class Translation {
public:
  explicit Translation(const Context &context) : graph_(context.graph) {
    const auto unitCount = static_cast<std::uint32_t>(graph_.units.units.size());
    for (std::uint32_t u = 0; u < unitCount; ++u) {
      units.emplace_back();
      units.back().device = static_cast<std::uint32_t>(graph_.units.units[u].rank.value());
      firstInstruction.push_back(graph_.instructionOf(graph_.beginOfUnit(u)));
      ofBegin_[graph_.beginOfUnit(u)] = u;
      ofEnd_[graph_.endOfUnit(u)] = u;
    }
    addHostSteps();
    collectIncoming();
    for (const auto &[event, u] : ofBegin_)
      for (const Event from : incoming_[event])
        units[u].beginAfter.push_back(ofEnd_.lookup(from));
    for (const auto &[event, u] : ofEnd_)
      collectEndConditions(event, u);
    for (smt::ExclusiveUnit &unit : units) {
      sortUnique(unit.beginAfter);
      sortUnique(unit.endAfter);
    }
  }

  std::vector<smt::ExclusiveUnit> units;
  std::vector<InstructionId> firstInstruction; // per unit

private:
  static void sortUnique(std::vector<std::uint32_t> &list) {
    llvm::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }

  // Host steps come in pairs of events: begin, then end.
  void addHostSteps() {
    for (Event event = 0; event < graph_.eventCount(); ++event) {
      if (graph_.kindOf(event) == EventKind::hostBegin) {
        ofBegin_[event] = static_cast<std::uint32_t>(units.size());
      } else if (graph_.kindOf(event) == EventKind::hostEnd) {
        ofEnd_[event] = static_cast<std::uint32_t>(units.size());
        units.emplace_back();
        firstInstruction.push_back(graph_.instructionOf(event));
      }
    }
  }

  void collectIncoming() {
    incoming_.resize(graph_.eventCount());
    for (const model::Edge &edge : graph_.edges)
      incoming_[edge.to].push_back(edge.from);
    impossible_.insert(graph_.impossible.begin(), graph_.impossible.end());
  }

  // What must have begun for `end` to come about: the begin events that it hangs on, directly or through completions
  // (which follow at once when their own conditions hold).
  void collectEndConditions(Event end, std::uint32_t unit) {
    llvm::DenseSet<Event> seen = {end};
    std::vector<Event> open = {end};
    while (!open.empty()) {
      const Event event = open.back();
      open.pop_back();
      units[unit].neverEnds |= impossible_.contains(event);
      for (const Event from : incoming_[event]) {
        if (const auto begin = ofBegin_.find(from); begin != ofBegin_.end()) {
          if (begin->second != unit)
            units[unit].endAfter.push_back(begin->second);
        } else if (seen.insert(from).second) {
          open.push_back(from);
        }
      }
    }
  }

  const model::EventGraph &graph_;
  llvm::DenseMap<Event, std::uint32_t> ofBegin_, ofEnd_;
  std::vector<std::vector<Event>> incoming_;
  llvm::DenseSet<Event> impossible_;
};

Finding describeHang(const Context &context, const Translation &translation, const smt::ExclusiveHang &hang) {
  const Program &program = context.program;
  const auto instruction = [&](std::uint32_t unit) { return translation.firstInstruction[unit]; };
  std::vector<bool> begun(translation.units.size(), false);
  for (const std::uint32_t unit : hang.begun)
    begun[unit] = true;
  Finding finding =
      context.at(RuleId::any_stream, instruction(hang.held.front()),
                 "some order in which the devices may run the lanes hangs: " + counted(hang.held.size(), "device") +
                     " held by instructions whose partner cannot "
                     "begin");
  for (const std::uint32_t unit : hang.held)
    for (const std::uint32_t awaited : translation.units[unit].endAfter)
      if (!begun[awaited]) {
        finding.related.push_back(
            {instruction(unit), fullNameOf(program, instruction(unit)) + " keeps its device and waits for " +
                                    fullNameOf(program, instruction(awaited)) + ", which cannot begin"});
        break;
      }
  constexpr std::size_t shown = 24;
  const std::size_t skipped = hang.begun.size() > shown ? hang.begun.size() - shown : 0;
  for (std::size_t k = skipped; k < hang.begun.size(); ++k)
    finding.related.push_back({instruction(hang.begun[k]), "order that hangs, " + std::to_string(k + 1) + " of " +
                                                               std::to_string(hang.begun.size()) + ": " +
                                                               fullNameOf(program, instruction(hang.begun[k]))});
  return finding;
}

bool oneLaneEach(const model::Units &units) {
  for (std::size_t u = 1; u < units.units.size(); ++u)
    if (units.units[u].rank == units.units[u - 1].rank && units.units[u].lane != units.units[u - 1].lane)
      return false;
  return true;
}

} // namespace

void checkStreams(const Context &context) {
  if (context.options.streams != model::Streams::any || !context.order.complete(context.graph))
    return; // what hangs on independent lanes hangs here too, and is reported there
  if (oneLaneEach(context.graph.units))
    return; // the order of each rank is fixed, so there is no choice, and what finishes always does
  const std::size_t unitCount = context.graph.units.units.size();
  if (unitCount > streamLimit) {
    context.undecided.push_back("streams any: the program has " + std::to_string(unitCount) +
                                " launches and computations; the adversary is searched up to " +
                                std::to_string(streamLimit));
    return;
  }
  const Translation translation(context);
  smt::ExclusiveHang hang;
  std::string reason;
  const smt::Answer answer = context.session.hang(translation.units, hang, reason);
  if (answer == smt::Answer::unknown)
    context.undecided.push_back("streams any: " + reason);
  else if (answer == smt::Answer::yes)
    context.findings.add(describeHang(context, translation, hang));
}

} // namespace plumbline::check
