// When everything happens if instructions take given times, and everything happens as early as the model allows.
#pragma once

#include "verifier/model/event_graph.h"
#include "verifier/model/order.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace plumbline::model {

// How long an instruction takes, by opcode, in ticks. A message takes the time of its send from when both of its ends
// have begun.
struct Costs {
  std::array<std::int64_t, opcodeCount> of{}; // each from 0 to mostCost
  std::int64_t ticksPerUnit = 1;

  [[nodiscard]] std::int64_t operator[](Opcode opcode) const { return of[static_cast<std::size_t>(opcode)]; }
};

// Such that the times of as many instructions as a program can have (ir/limits.h), one after another, can be added.
inline constexpr std::int64_t mostCost = 100'000'000;

// What the field counts in: a forward pass takes 1, a full backward pass 2, each half of a split one 1, a
// recomputation 1 and everything else nothing.
Costs unitCosts();

// A time in units, exactly: "3", "0.25".
std::string inUnits(std::int64_t ticks, const Costs &costs);

// The earliest times, in ticks from the begin of the step. Members of an overlap take as long as one after another,
// since they share their rank's device. All must outlive the object.
class Times {
public:
  // Linear.
  Times(const Program &program, const EventGraph &graph, const Order &order, const Costs &costs);

  // -1 if it never happens. Of a member of an overlap: when its own part begins and ends.
  [[nodiscard]] std::int64_t begin(InstructionId i) const;
  [[nodiscard]] std::int64_t end(InstructionId i) const;
  // Time of the last event that happens.
  [[nodiscard]] std::int64_t makespan() const { return makespan_; }

private:
  void addUpCosts();
  [[nodiscard]] std::int64_t durationOf(const Edge &edge) const;
  [[nodiscard]] std::int64_t messageCost(InstructionId i) const;

  const Program &program_;
  const EventGraph &graph_;
  const Order &order_;
  const Costs &costs_;
  std::vector<std::int64_t> spent_; // per instruction: its cost and that of the computing members of its unit before it
  std::vector<std::int64_t> times_; // per event
  std::int64_t makespan_ = 0;
};

} // namespace plumbline::model
