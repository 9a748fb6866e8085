#include "verifier/model/times.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace plumbline::model {

Costs unitCosts() {
  Costs costs;
  for (const Opcode opcode : {Opcode::forward, Opcode::backward_input, Opcode::backward_weight, Opcode::recompute})
    costs.of[static_cast<std::size_t>(opcode)] = 1;
  costs.of[static_cast<std::size_t>(Opcode::backward)] = 2;
  return costs;
}

std::string inUnits(std::int64_t ticks, const Costs &costs) {
  std::string text = std::to_string(ticks / costs.ticksPerUnit);
  std::int64_t rest = ticks % costs.ticksPerUnit;
  if (rest == 0)
    return text;
  text += '.';
  for (std::int64_t digit = costs.ticksPerUnit; rest > 0 && digit > 1; rest %= digit) {
    digit /= 10;
    text += static_cast<char>('0' + rest / digit);
  }
  return text;
}

Times::Times(const Program &program, const EventGraph &graph, const Order &order, const Costs &costs)
    : program_(program), graph_(graph), order_(order), costs_(costs) {
  addUpCosts();
  times_.assign(graph_.eventCount(), 0);
  for (const Event event : order_.sequence) {
    makespan_ = std::max(makespan_, times_[event]);
    for (const Edge &edge : graph_.out(event))
      times_[edge.to] = std::max(times_[edge.to], times_[event] + durationOf(edge));
  }
}

std::int64_t Times::begin(InstructionId i) const {
  const Event event = graph_.begin(i);
  if (!order_.happens(event))
    return -1;
  const std::int64_t before =
      isCommunication(program_.at(i)) ? 0 : spent_[static_cast<std::size_t>(i.value())] - costs_[program_.at(i).opcode];
  return times_[event] + before;
}

std::int64_t Times::end(InstructionId i) const {
  const Event event = graph_.completion(i);
  if (!order_.happens(event))
    return -1;
  return isCommunication(program_.at(i)) ? times_[event] : begin(i) + costs_[program_.at(i).opcode];
}

void Times::addUpCosts() {
  spent_.reserve(program_.instructions.size());
  for (const auto &[k, i] : llvm::enumerate(program_.instructions)) {
    const bool continues = k > 0 && graph_.units.unitOf[k] == graph_.units.unitOf[k - 1];
    spent_.push_back((continues ? spent_.back() : 0) + (isCommunication(i) ? 0 : costs_[i.opcode]));
  }
}

// The same for both ends, also where what is sent is not what is received.
std::int64_t Times::messageCost(InstructionId i) const {
  const InstructionId other = graph_.matching.partner[static_cast<std::size_t>(i.value())];
  return costs_[program_.at(isReceive(program_.at(i).opcode) && other.valid() ? other : i).opcode];
}

// How long it takes from the begin of a unit, or from that of the other end of a message, to the end of a unit or of
// one member.
std::int64_t Times::durationOf(const Edge &edge) const {
  const EventKind kind = graph_.kindOf(edge.to);
  if (kind != EventKind::end && kind != EventKind::completion)
    return 0; // hosts that connect
  const InstructionId done = graph_.instructionOf(edge.to);
  const bool communicates = isCommunication(program_.at(done));
  switch (edge.reason) {
  case Reason::duration:
    break;
  case Reason::rendezvous:
  case Reason::arrival:
  case Reason::collective:
    return communicates ? messageCost(done) : 0;
  default:
    return 0;
  }
  if (kind == EventKind::completion)
    return communicates ? messageCost(done) : spent_[static_cast<std::size_t>(done.value())];
  const Unit &unit = graph_.units.units[graph_.unitOf(done)];
  if (unit.memberCount == 1 && communicates)
    return messageCost(done);
  return spent_[unit.firstInstruction + unit.memberCount - 1];
}

} // namespace plumbline::model
