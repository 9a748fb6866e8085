// One copy of a pipeline on the host: a thread, a block of memory and the stages of each rank.
#pragma once

#include "runtime/host/effects.h"
#include "runtime/host/threads.h"

namespace plumbline::runtime {

struct HostSettings {
  bool check = false;               // trip on what the verifier calls a hazard
  std::chrono::nanoseconds spin{0}; // see RankThreads
};

class HostPipeline : public Worker {
public:
  // `plan` and `run` must outlive it. `copy`: which of run.copies this is. Errors as of RankWork::make.
  static Result<std::unique_ptr<HostPipeline>> make(const Plan &plan, const RunPlan &run, const HostSettings &settings,
                                                    std::int32_t copy);

  // Runs the instructions of one step, on data of the source; not what comes after the last of them.
  StepResult run(const DataSource &data, const StepRequest &request);
  // What comes then. Empty, or why it failed.
  std::string finish(const StepRequest &request);
  void stop() { threads_->stop(); }

  [[nodiscard]] StageState *find(StageId stage);
  [[nodiscard]] Watch &watch() const { return effects_->watch(); }
  [[nodiscard]] RankWork &rank(std::size_t rank) const { return *ranks_[rank]; }
  // Sum of the losses of a replica's microbatches, in order.
  [[nodiscard]] double lossSum(std::int32_t replica) const;

private:
  HostPipeline(const Plan &plan, const RunPlan &run, const HostSettings &settings, std::int32_t copy)
      : plan_(plan), run_(run), settings_(settings), copy_(copy) {}

  std::string work(InstructionIndex instruction) override;

  const Plan &plan_;
  const RunPlan &run_;
  const HostSettings settings_;
  const std::int32_t copy_;
  HostDevice device_;
  std::vector<std::unique_ptr<RankWork>> ranks_;
  std::unique_ptr<HostEffects> effects_;
  std::unique_ptr<Machine> machine_;
  std::unique_ptr<RankThreads> threads_;
  float learningRate_ = 0; // of the step that is going on
  bool watched_ = false;   // a step has been
};

} // namespace plumbline::runtime
