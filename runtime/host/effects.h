// What an execution on the host does to memory: messages are copies between the blocks of two ranks.
#pragma once

#include "runtime/backend/backend.h"
#include "runtime/host/machine.h"
#include "runtime/ledger/ledger.h"
#include "runtime/ledger/slot_numbers.h"
#include "runtime/work/rank_work.h"

#include <chrono>
#include <functional>

namespace plumbline::runtime {

class HostEffects : public Effects {
public:
  // What to do when a check trips. Called from any thread.
  using Trip = std::function<void(InstructionIndex, std::string)>;

  // All must outlive this. `ranks` by rank.
  HostEffects(const Plan &plan, const RunPlan &run, llvm::ArrayRef<std::unique_ptr<RankWork>> ranks);

  // Before each step. `watch`: keep the ledger, for peakSlots; `trip`, if not empty: check it, and spoil dead slots.
  void reset(bool watch, Trip trip);
  void began(InstructionIndex i) override;
  void completed(InstructionIndex i) override;
  void transfer(InstructionIndex send, InstructionIndex receive) override;
  void keep(InstructionIndex send) override;
  void deliver(InstructionIndex send, InstructionIndex receive) override;
  void carryOut(const Collective &collective) override;

  // The rank's own work, timed.
  void workBegins(InstructionIndex i) { spans_[i].begin = now(); }
  void workEnds(InstructionIndex i) { spans_[i].end = now(); }
  [[nodiscard]] llvm::ArrayRef<Span> spans() const { return spans_; }
  [[nodiscard]] const Ledger &ledger() const { return ledger_; }

private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] std::int64_t now() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_).count();
  }
  void spoil(std::uint32_t slot, std::int32_t rank);
  void move(const void *from, InstructionIndex send, InstructionIndex receive);
  void broadcast(const Collective &collective);
  void sumGradients(const Collective &collective);
  [[nodiscard]] RankWork &work(InstructionIndex i) const {
    return *ranks_[static_cast<std::size_t>(plan_.instruction(i).rank.value())];
  }

  const Plan &plan_;
  const RunPlan &run_;
  llvm::ArrayRef<std::unique_ptr<RankWork>> ranks_;
  Ledger ledger_;
  bool watch_ = false;
  Trip trip_;
  std::vector<Span> spans_;
  Clock::time_point start_;
  std::vector<std::vector<char>> kept_; // per instruction: copies of what sends with room have sent
};

} // namespace plumbline::runtime
