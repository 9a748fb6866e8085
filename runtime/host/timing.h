// Lets the events of a Machine happen one at a time, in an order of one's choice: every such order is an execution that
// the model allows, and every execution is one of them as far as slots can tell. For finding the timing in which a
// wrong program goes wrong.
#pragma once

#include "runtime/host/machine.h"
#include "runtime/ledger/ledger.h"

#include <cstdint>
#include <optional>

namespace plumbline::runtime {

// What is put off until nothing else can happen; then the begin comes first.
struct Delay {
  StepIndex begin = none;
  InstructionIndex completion = none;
};

// Keeps the ledger, and the first violation.
class LedgerEffects : public Effects {
public:
  explicit LedgerEffects(const Program &program) : ledger_(program, Report::atRead) {}
  void reset() {
    ledger_.reset();
    violation_.reset();
  }
  void began(InstructionIndex i) override;
  void completed(InstructionIndex i) override;
  [[nodiscard]] const std::optional<Violation> &violation() const { return violation_; }

private:
  Ledger ledger_;
  std::optional<Violation> violation_;
};

// One execution, in an order that follows from the seed (0: the newest event first). Ends when nothing can happen, or
// with the first violation. True if everything ended.
bool runOnce(const Plan &plan, Machine &machine, LedgerEffects &effects, std::uint64_t seed, Delay delay);

// Looks for a timing in which something is written over, or read too early. For each two accesses to a slot it lets
// the end of one and the begin of the other wait for each other as long as the program can do without; this finds every
// hazard, because a step that is put off holds up just what comes after it in every execution. `seeds` more executions
// are tried in random orders. Cost: executions as the square of the accesses to one slot; for small programs.
std::optional<Violation> findViolation(const Plan &plan, std::uint64_t seed, int seeds);

} // namespace plumbline::runtime
