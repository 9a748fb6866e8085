// Looks on while instructions run: when each one did, and with a ledger what its slots held.
#pragma once

#include "runtime/backend/backend.h"
#include "runtime/ledger/ledger.h"
#include "runtime/ledger/slot_numbers.h"
#include "runtime/plan/plan.h"
#include "runtime/rank/rank_work.h"

#include <chrono>
#include <functional>

namespace plumbline::runtime {

class Watch {
public:
  // What to do when a check trips. Called from any thread.
  using Trip = std::function<void(InstructionIndex, std::string)>;

  // `ranks` by rank; null for those elsewhere. All must outlive this.
  Watch(const Plan &plan, const RunPlan &run, std::vector<RankWork *> ranks);

  // Before each step. `ledger`: keep it, for peakSlots; `trip`, if not empty: check it too, and spoil dead slots.
  void reset(bool ledger, Trip trip);
  // Of any instruction; those of the rank itself are timed apart, since all members of a group begin at once.
  void began(InstructionIndex i);
  void completed(InstructionIndex i);
  void workBegins(InstructionIndex i) { spans_[i].begin = now(); }
  void workEnds(InstructionIndex i) { spans_[i].end = now(); }

  [[nodiscard]] std::vector<Span> &spans() { return spans_; }
  [[nodiscard]] const Ledger &ledger() const { return ledger_; }

private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] std::int64_t now() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_).count();
  }

  const Plan &plan_;
  const RunPlan &run_;
  const std::vector<RankWork *> ranks_;
  Ledger ledger_;
  bool keepsLedger_ = false;
  Trip trip_;
  std::vector<Span> spans_;
  Clock::time_point start_;
};

} // namespace plumbline::runtime
