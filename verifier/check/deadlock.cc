#include "verifier/check/deadlock.h"

#include "verifier/ir/words.h"
#include "verifier/model/cycle.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

namespace plumbline::check {
namespace {

using model::Edge;
using model::Event;
using model::EventKind;
using model::Reason;

// How much work the search for a shortest cycle may be before the shortest so far will do.
constexpr std::uint64_t cycleEffort = 50'000'000;

class Deadlock {
public:
  Deadlock(const Context &context, RuleId rule, Severity severity)
      : context_(context), graph_(context.graph), program_(context.program), rule_(rule), severity_(severity) {}

  void run() {
    if (context_.order.complete(graph_)) {
      const smt::Judgement judged =
          proveOrder(graph_, context_.order, {}, context_.session,
                     rule_ == RuleId::first_use ? "deadlock freedom at first use" : "deadlock freedom");
      if (judged.answer != smt::Answer::yes)
        context_.undecided.push_back(judged.failure);
      return;
    }
    const std::vector<std::vector<Event>> knots = model::findKnots(graph_, context_.order);
    for (const std::vector<Event> &knot : knots)
      reportKnot(knot);
    if (rule_ == RuleId::wait_cycle)
      reportRoom();
    // Without a knot, something waits for a partner that does not exist, which PL2 reports. Should it not, then this
    // must not pass.
    if (knots.empty() && !context_.findings.anyError)
      context_.undecided.emplace_back("deadlock freedom: some instructions never end, and no rule says why");
  }

private:
  void reportKnot(llvm::ArrayRef<Event> knot) {
    if (!context_.findings.wanted(rule_)) {
      context_.findings.anyError |= severity_ == Severity::error;
      context_.findings.count(rule_);
      return;
    }
    bool exact = true;
    const std::vector<Edge> cycle = model::shortestCycle(graph_, knot, cycleEffort, &exact);
    if (!confirm(cycle))
      return;
    const std::vector<Related> steps = describe(cycle);
    Finding finding = context_.at(rule_, steps.front().instruction, headline(cycle, knot));
    finding.severity = severity_;
    finding.cycle = steps;
    if (!exact)
      finding.related.push_back({InstructionId(), "a shorter cycle may exist; the search was cut off"});
    context_.findings.add(std::move(finding));
  }

  // Z3 must find the cycle unsatisfiable, and need all of it.
  bool confirm(llvm::ArrayRef<Edge> cycle) {
    llvm::DenseMap<Event, std::uint32_t> local;
    std::vector<smt::Constraint> constraints;
    for (const Edge &edge : cycle) {
      const auto number = [&](Event e) {
        return local.try_emplace(e, static_cast<std::uint32_t>(local.size())).first->second;
      };
      const std::uint32_t from = number(edge.from);
      constraints.push_back({from, number(edge.to), edge.strict});
    }
    std::vector<std::uint32_t> core;
    const smt::Answer answer = context_.session.core(static_cast<std::uint32_t>(local.size()), constraints, core);
    if (answer == smt::Answer::no && core.size() == cycle.size())
      return true;
    context_.undecided.push_back(answer == smt::Answer::unknown
                                     ? "wait-for cycle: " + context_.session.reason()
                                     : "wait-for cycle: Z3 does not confirm the cycle that was found");
    return false;
  }

  [[nodiscard]] InstructionId instructionOf(Event event) const { return graph_.instructionOf(event); }

  std::string headline(llvm::ArrayRef<Edge> cycle, llvm::ArrayRef<Event> knot) const {
    std::vector<std::int32_t> ranks;
    for (const Edge &edge : cycle)
      if (graph_.kindOf(edge.from) != EventKind::groupMoves) // which belongs to many
        ranks.push_back(program_.at(instructionOf(edge.from)).rank.value());
    llvm::sort(ranks);
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    std::string who;
    for (std::size_t k = 0; k < ranks.size() && k < 8; ++k)
      who += (k == 0 ? "" : k + 1 == ranks.size() ? " and " : ", ") + std::to_string(ranks[k]);
    if (ranks.size() > 8)
      who += " and " + std::to_string(ranks.size() - 8) + " more";
    std::string text = rule_ == RuleId::first_use ? "hangs when connections are made on first use: " : "deadlock: ";
    text += ranks.size() == 1 ? "rank " + who + " waits for itself" : "ranks " + who + " wait for each other for ever";
    std::vector<InstructionId> stuck;
    for (const Event event : knot)
      if (graph_.kindOf(event) != EventKind::groupMoves)
        stuck.push_back(instructionOf(event));
    llvm::sort(stuck);
    stuck.erase(std::unique(stuck.begin(), stuck.end()), stuck.end());
    return text + " (" + counted(stuck.size(), "instruction") + " in the knot)";
  }

  // One step for each wait: "x cannot end before y begins"; then how y stands behind the next waiting instruction.
  std::vector<Related> describe(llvm::ArrayRef<Edge> cycle) const {
    // Read backwards, an edge from -> to says "to waits for from". Start behind a wait, so that queue moves between
    // waits are whole. At first use, the hosts that miss each other say most.
    std::vector<Edge> steps(cycle.rbegin(), cycle.rend());
    auto start = llvm::find_if(steps, [](const Edge &e) { return e.reason == Reason::connectPartner; });
    if (start == steps.end())
      start = llvm::find_if(steps, [](const Edge &e) { return model::isWaitStep(e.reason); });
    std::rotate(steps.begin(), start, steps.end());
    std::vector<Related> text;
    for (std::size_t k = 0; k < steps.size();) {
      // Of a collective of many ranks, the member that is waited for stands one step behind.
      const bool many = k + 1 < steps.size() && steps[k + 1].reason == Reason::joins;
      const InstructionId arrived = many ? instructionOf(steps[k + 1].from) : awaitedBy(steps[k]);
      text.push_back({instructionOf(steps[k].to), waitText(steps[k], arrived)});
      for (++k; k < steps.size() && !model::isWaitStep(steps[k].reason);)
        ++k;
      const InstructionId next = instructionOf(k < steps.size() ? steps[k].to : steps.front().to);
      if (graph_.unitOf(arrived) != graph_.unitOf(next))
        text.push_back({arrived, queueText(arrived, next)});
    }
    return text;
  }

  // What the head of an edge waits for. A message waits for its partner, which may stand anywhere in its launch.
  [[nodiscard]] InstructionId awaitedBy(const Edge &edge) const {
    const bool message = edge.reason == Reason::rendezvous || edge.reason == Reason::arrival;
    const InstructionId partner =
        message ? graph_.matching.partner[static_cast<std::size_t>(instructionOf(edge.to).value())] : InstructionId();
    return partner.valid() ? partner : instructionOf(edge.from);
  }

  [[nodiscard]] std::string word(InstructionId i) const { return fullNameOf(program_, i); }

  [[nodiscard]] std::string queueText(InstructionId later, InstructionId earlier) const {
    const std::uint32_t lane = graph_.units.sharedLane(graph_.unitOf(earlier), graph_.unitOf(later));
    const CommunicatorId queueOf = lane == model::noIndex ? CommunicatorId() : graph_.units.laneCommunicator[lane];
    const std::string queue = queueOf.valid()
                                  ? " in the queue of communicator '" +
                                        program_.communicators[static_cast<std::size_t>(queueOf.value())].name + "'"
                                  : "";
    return word(later) + " comes after " + nameOf(program_, earlier) + queue;
  }

  [[nodiscard]] std::string waitText(const Edge &edge, InstructionId arrived) const {
    const std::string waiting = word(instructionOf(edge.to)), awaited = word(arrived);
    switch (edge.reason) {
    case Reason::rendezvous:
      return waiting + " cannot end before its partner begins: " + awaited;
    case Reason::arrival:
      return waiting + " cannot end before its message is sent: " + awaited;
    case Reason::room:
      return waiting + " has no room to send before an earlier message is received: " + awaited;
    case Reason::collective:
      return waiting + " cannot end before this rank joins: " + awaited;
    case Reason::wait:
      return waiting + " waits for " + awaited;
    case Reason::gate:
      return waiting + " is issued only after the host has waited for " + awaited;
    case Reason::connect:
      if (instructionOf(edge.to) == arrived)
        return waiting + " begins only when its connection is made";
      return waiting + " needs the connection that the host makes at " + awaited;
    case Reason::connectOrder:
      return "the host connects for " + waiting + " only after it has connected for " + awaited;
    case Reason::connectPartner:
      return "the host connecting for " + waiting + " waits until the other host connects for " + awaited;
    case Reason::atomic:
      return graph_.kindOf(edge.to) == EventKind::groupMoves
                 ? "nothing of the launches tied to " + waiting + " moves before " + awaited + " is launched"
                 : waiting + " moves only together with the launches tied to " + awaited;
    case Reason::duration:
    case Reason::member:
    case Reason::joins:
    case Reason::lane:
      break;
    }
    return waiting + " waits for " + awaited;
  }

  // A buffered send for which room never comes free, because the receive that would free it is never issued.
  void reportRoom() {
    std::vector<Event> impossible = graph_.impossible;
    llvm::sort(impossible);
    for (const Event event : impossible) {
      const InstructionId id = instructionOf(event);
      const Instruction &i = program_.at(id);
      if (!isSend(i.opcode) || context_.options.grouping == model::Grouping::atomic)
        continue;
      const std::int32_t own = program_.communicators[static_cast<std::size_t>(i.communicator.value())].room;
      const std::int32_t room = own >= 0 ? own : context_.options.room;
      if (room <= 0 || context_.options.roomBytes >= 0)
        continue;
      context_.findings.add(context_.at(RuleId::no_room, id,
                                        nameOf(program_, id) + " waits for ever: the channel holds " +
                                            counted(static_cast<std::size_t>(room), "message") +
                                            ", and no receive frees one"));
    }
  }

  const Context &context_;
  const model::EventGraph &graph_;
  const Program &program_;
  RuleId rule_;
  Severity severity_;
};

} // namespace

smt::Judgement proveOrder(const model::EventGraph &graph, const model::Order &order,
                          llvm::ArrayRef<model::ExtraEdge> extra, smt::Session &session, const std::string &what) {
  const auto events = static_cast<std::uint32_t>(order.sequence.size());
  std::vector<std::uint32_t> offsets(events + 1, 0);
  // What happens is closed under what comes before it, so an edge counts exactly if its head happens.
  for (const Edge &edge : graph.edges)
    if (order.happens(edge.to))
      ++offsets[order.position[edge.to] + 1];
  for (const model::ExtraEdge &edge : extra)
    if (order.happens(edge.to))
      ++offsets[order.position[edge.to] + 1];
  for (std::uint32_t e = 0; e < events; ++e)
    offsets[e + 1] += offsets[e];
  std::vector<smt::Constraint> constraints(offsets.back());
  std::vector<std::uint32_t> next(offsets.begin(), offsets.end() - 1);
  const auto put = [&](Event from, Event to, bool strict) {
    if (!order.happens(to))
      return;
    const std::uint32_t position = order.position[to];
    constraints[next[position]++] = {order.position[from], position, strict};
  };
  // By position of the source, so that equal windows list their constraints in the same order.
  for (const Event event : order.sequence)
    for (const Edge &edge : graph.out(event))
      put(edge.from, edge.to, edge.strict);
  for (const model::ExtraEdge &edge : extra)
    put(edge.from, edge.to, edge.strict);
  return session.proveSatisfiable({order.levelStarts, offsets, constraints}, what);
}

void checkDeadlock(const Context &context, RuleId rule, Severity severity) { Deadlock(context, rule, severity).run(); }

} // namespace plumbline::check
