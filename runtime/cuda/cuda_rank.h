// One rank of one copy of the pipeline on its device.
#pragma once

#include "runtime/cuda/device.h"
#include "runtime/cuda/rank_streams.h"
#include "runtime/cuda/timing.h"
#include "runtime/rank/rank_work.h"

namespace plumbline::runtime::cuda {

// Where a rank is.
struct Seat {
  std::int32_t copy = 0;
  std::int32_t rank = 0;
  std::int32_t device = 0;
};

class CudaRank {
public:
  // `plan` and `run` must outlive it. Errors: memory, what CUDA refused, the stages' own messages.
  static Result<std::unique_ptr<CudaRank>> make(const Plan &plan, const RunPlan &run, Seat seat, bool timed);
  ~CudaRank();
  CudaRank(const CudaRank &) = delete;
  CudaRank &operator=(const CudaRank &) = delete;

  [[nodiscard]] const Seat &seat() const { return seat_; }
  [[nodiscard]] CudaDevice &device() { return device_; }
  [[nodiscard]] RankStreams &streams() { return *streams_; }
  [[nodiscard]] RankWork &work() { return *work_; }

  // Each: empty, or what failed. All make the device current.

  // Before the first step: one pass of each kind of each stage, on zeros, and kernels that passes do not use. For those
  // kernels are loaded (see loadKernels), cuBLAS's among them, which only it knows. Leaves nothing behind.
  std::string warmUp();
  // Before a step: its batch, into device memory.
  std::string startStep(const DataSource &data, std::int64_t step, Timing::Clock::time_point origin);
  // Enqueues the rank's own work.
  std::string enqueueWork(InstructionIndex i, float learningRate);
  // Around the enqueueing of an instruction, where timing was asked for; else they do nothing.
  std::string timeBegin(InstructionIndex i) { return timing_ ? timing_->begins(i, streams_->of(i)) : ""; }
  std::string timeEnd(InstructionIndex i) { return timing_ ? timing_->ends(i, streams_->of(i)) : ""; }
  // After a step, when the streams are idle.
  std::string collectSpans(std::vector<Span> &spans) { return timing_ ? timing_->collect(spans) : ""; }
  // Sum of the losses of all microbatches of the last stages here, in order; 0 if there are none.
  std::string sumLosses(double &sum);
  // See RankWork::finish; waits for it.
  std::string finish(float learningRate, bool update);
  // Waits until nothing is left on the streams; for what is sure to end.
  std::string waitIdle();

private:
  CudaRank(const Plan &plan, const RunPlan &run, Seat seat)
      : plan_(plan), run_(run), seat_(seat), device_(seat.device) {}
  std::string makeStaging();
  std::string fillBatch(const DataSource &data, std::int64_t step, StageId stage, StageState &state);
  [[nodiscard]] std::string deviceFailure() const { return device_.failure(); }

  const Plan &plan_;
  const RunPlan &run_;
  const Seat seat_;
  CudaDevice device_;
  std::unique_ptr<RankWork> work_; // after the streams nothing uses its memory
  std::unique_ptr<RankStreams> streams_;
  std::unique_ptr<Timing> timing_; // null: not asked for
  PinnedMemory inputs_, labels_;   // of the host: a batch of one stage
};

} // namespace plumbline::runtime::cuda
