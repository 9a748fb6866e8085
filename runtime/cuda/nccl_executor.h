// Ranks with a device each, here and in other processes, over NCCL. A thread for each rank here walks its instructions;
// the caller's thread looks after them meanwhile. When a communicator reports an error, when launches wait for too
// long, when another process has ended or the run is stopped, it aborts all communicators, which also frees a rank
// whose host is stuck in a call because its device's queue is full (NCCL_FACTS C3): a lost peer is an error, not a
// hang.
#pragma once

#include "runtime/cuda/executor.h"
#include "runtime/cuda/nccl_rank.h"

#include <functional>

namespace plumbline::runtime::cuda {

struct NcclSettings {
  std::chrono::milliseconds patience{};
  bool reduceScatter = false;
  // Which other process has ended; empty: none. From any thread.
  std::function<std::string()> lost;
};

// How many ids NcclExecutor::make wants: one for each clique.
struct NcclPlan {
  std::vector<std::vector<Share>> shares;
  CliquePlan cliques;
};

class NcclExecutor : public Executor {
public:
  // All must outlive it. `ranks` are those of this process, `ids` by clique. Returns when all processes have done the
  // same. `abandoned` becomes true if it fails and threads are left behind that still use the ranks.
  static Result<std::unique_ptr<Executor>> make(const Plan &plan, const RunPlan &run, NcclPlan nccl,
                                                const DataSource &data, llvm::ArrayRef<CudaRank *> ranks,
                                                llvm::ArrayRef<ncclUniqueId> ids, const NcclSettings &settings,
                                                bool &abandoned);
  ~NcclExecutor() override;

  StepResult run(const StepRequest &request) override;
  StepResult finish(const StepRequest &request, double &losses) override;
  void stop() override { stopped_ = true; }
  bool abandoned() const override { return abandoned_; }

private:
  NcclExecutor(const Plan &plan, const RunPlan &run, NcclPlan nccl, const DataSource &data,
               const NcclSettings &settings);

  // Runs f on a thread for each rank, and looks after them.
  StepResult onEachRank(const std::function<Failure(NcclRank &)> &f);
  void lookAfterAll();
  void lookAfter(NcclRank &rank);
  void report(Failure failure);
  void abortAll();

  const NcclPlan nccl_;
  const DataSource &data_;
  const std::function<std::string()> lost_;
  NcclShared shared_;
  std::vector<std::unique_ptr<NcclRank>> ranks_;
  std::atomic<bool> stopped_{false};
  bool aborted_ = false;
  bool abandoned_ = false;
  std::mutex failureMutex_;
  Failure failure_; // the first
};

} // namespace plumbline::runtime::cuda
