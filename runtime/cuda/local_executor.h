// Ranks of this process that share one device, which NCCL cannot do ("Using the same CUDA device multiple times as
// different ranks of the same NCCL communicator is not supported", NCCL user guide): messages are copies within the
// device.
//
// The host has to know who meets whom, so it runs the host backend's machine (runtime/host/machine.h), in which an
// instruction is over once its work is enqueued. Streams and events then give the device the order that the machine
// found. A schedule that gets stuck is known to be so for certain, before the device waits for anything.
#pragma once

#include "runtime/cuda/cuda_rank.h"
#include "runtime/cuda/executor.h"
#include "runtime/host/threads.h"

#include <atomic>
#include <memory>
#include <vector>

namespace plumbline::runtime::cuda {

// One copy of the pipeline.
class LocalPipeline : public Worker, public Effects {
public:
  // All must outlive it; `ranks` by rank.
  static Result<std::unique_ptr<LocalPipeline>> make(const Plan &plan, const RunPlan &run,
                                                     llvm::ArrayRef<CudaRank *> ranks);

  StepResult run(const DataSource &data, const StepRequest &request, Timing::Clock::time_point origin);
  void stop() { threads_->stop(); }
  [[nodiscard]] llvm::ArrayRef<CudaRank *> ranks() const { return ranks_; }

private:
  // Of one instruction that needs others: its stream has come to it, and what it receives is there.
  struct Ends {
    Event reached, arrived;
  };

  LocalPipeline(const Plan &plan, const RunPlan &run, llvm::ArrayRef<CudaRank *> ranks)
      : plan_(plan), run_(run), ranks_(ranks.begin(), ranks.end()), ends_(plan.program->instructions.size()) {}

  std::string work(InstructionIndex i) override;
  void began(InstructionIndex i) override;
  void completed(InstructionIndex i) override;
  void transfer(InstructionIndex send, InstructionIndex receive) override;
  void carryOut(const Collective &collective) override;

  std::string copy(InstructionIndex send, InstructionIndex receive);
  std::string broadcast(const Collective &collective);
  std::string sumGradients(const Collective &collective);
  DeviceMemory *gradientsOf(InstructionIndex i) const;
  void failAt(InstructionIndex i, std::string wrong);
  void onEachRank(const std::function<std::string(CudaRank &)> &f);
  [[nodiscard]] CudaRank &rankOf(InstructionIndex i) const {
    return *ranks_[static_cast<std::size_t>(plan_.instruction(i).rank.value())];
  }
  [[nodiscard]] cudaStream_t streamOf(InstructionIndex i) const { return rankOf(i).streams().of(i); }

  const Plan &plan_;
  const RunPlan &run_;
  std::vector<CudaRank *> ranks_;
  std::vector<Ends> ends_; // by instruction; null events where none are needed
  float learningRate_ = 0;
  std::unique_ptr<Machine> machine_;
  std::unique_ptr<RankThreads> threads_;
  std::mutex failureMutex_;
  Failure failure_; // outside the machine's execution
};

class LocalExecutor : public Executor {
public:
  // All must outlive it; `ranks` copy by copy, rank by rank.
  static Result<std::unique_ptr<Executor>> make(const Plan &plan, const RunPlan &run, const DataSource &data,
                                                llvm::ArrayRef<CudaRank *> ranks);

  StepResult run(const StepRequest &request) override;
  StepResult finish(const StepRequest &request, double &losses) override;
  void stop() override;

private:
  LocalExecutor(const Plan &plan, const RunPlan &run, const DataSource &data) : plan_(plan), run_(run), data_(data) {}
  std::string sumGradients();

  const Plan &plan_;
  const RunPlan &run_;
  const DataSource &data_;
  std::vector<std::unique_ptr<LocalPipeline>> copies_;
};

} // namespace plumbline::runtime::cuda
