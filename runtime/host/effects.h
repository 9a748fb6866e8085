// What an execution on the host does to memory: messages are copies between the blocks of two ranks.
#pragma once

#include "runtime/host/machine.h"
#include "runtime/rank/rank_work.h"
#include "runtime/watch/watch.h"

namespace plumbline::runtime {

class HostEffects : public Effects {
public:
  // All must outlive this. `ranks` by rank.
  HostEffects(const Plan &plan, const RunPlan &run, llvm::ArrayRef<std::unique_ptr<RankWork>> ranks);

  [[nodiscard]] Watch &watch() { return watch_; }
  void began(InstructionIndex i) override { watch_.began(i); }
  void completed(InstructionIndex i) override { watch_.completed(i); }
  void transfer(InstructionIndex send, InstructionIndex receive) override;
  void keep(InstructionIndex send) override;
  void deliver(InstructionIndex send, InstructionIndex receive) override;
  void carryOut(const Collective &collective) override;

private:
  void move(const void *from, InstructionIndex send, InstructionIndex receive);
  void broadcast(const Collective &collective);
  void sumGradients(const Collective &collective);
  [[nodiscard]] RankWork &work(InstructionIndex i) const {
    return *ranks_[static_cast<std::size_t>(plan_.instruction(i).rank.value())];
  }

  const Plan &plan_;
  const RunPlan &run_;
  llvm::ArrayRef<std::unique_ptr<RankWork>> ranks_;
  Watch watch_;
  std::vector<std::vector<char>> kept_; // per instruction: copies of what sends with room have sent
};

} // namespace plumbline::runtime
