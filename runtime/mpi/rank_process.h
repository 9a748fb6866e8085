// One rank in its process: its own work on a thread of its own, its messages on the thread that calls MPI.
#pragma once

#include "runtime/host/rank_driver.h"
#include "runtime/mpi/messenger.h"
#include "runtime/watch/watch.h"

#include <condition_variable>
#include <thread>

namespace plumbline::runtime::mpi {

class RankProcess : private Effects, private RankDriver {
public:
  // All must outlive this.
  RankProcess(const Plan &plan, const RunPlan &run, RankWork &work, const Communicators &communicators, bool check);
  ~RankProcess() override;

  // Runs the rank's instructions of one step, on the thread that calls MPI. A rank that waits for another one waits for
  // ever; see MpiBackend for what ends it.
  StepResult run(float learningRate);
  void stop();
  [[nodiscard]] Watch &watch() { return watch_; }

private:
  void began(InstructionIndex i) override { watch_.began(i); }
  void completed(InstructionIndex i) override { watch_.completed(i); }

  void live();
  void offer(StepIndex step) override;
  std::string perform(InstructionIndex instruction) override;
  void failed(InstructionIndex instruction, std::string message) override { fail(instruction, std::move(message)); }
  [[nodiscard]] bool isOver() const override { return over_; }
  void fail(InstructionIndex instruction, std::string message);
  void communicate();

  RankWork &work_;
  const bool check_;
  Watch watch_;
  Messenger messenger_;
  Machine machine_;
  float learningRate_ = 0;
  bool watched_ = false; // a step has been

  std::mutex mutex_;
  std::condition_variable wake_;
  StepIndex ready_ = none; // the next step of the compute queue, once it may begin
  bool leaving_ = false;
  bool working_ = false; // the other thread is in a step
  std::atomic<bool> over_{true}, stopped_{false};
  Failure failure_;
  std::thread thread_;
};

} // namespace plumbline::runtime::mpi
