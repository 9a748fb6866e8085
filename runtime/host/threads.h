// Runs a Machine with a thread for each rank: whatever may happen happens at once.
//
// The work of a rank itself runs on the rank's thread, in the order of its compute queue. Messages move on whichever
// thread lets them, so that a queue of messages goes on while its rank computes, as a second stream of a device would.
#pragma once

#include "runtime/backend/backend.h"
#include "runtime/host/rank_driver.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <string>
#include <thread>

namespace plumbline::runtime {

// The rank's own work. Called on the thread of the instruction's rank.
class Worker {
public:
  virtual ~Worker() = default;
  // Empty, or why it failed; that ends the step on all ranks.
  virtual std::string work(InstructionIndex instruction) = 0;
};

class RankThreads : private RankDriver {
public:
  // All must outlive this. `spin`: a thread that has to wait looks out for so long before it goes to sleep; for
  // machines with a core for each rank.
  RankThreads(const Plan &plan, Machine &machine, Worker &worker, std::chrono::nanoseconds spin);
  ~RankThreads() override;

  // One execution from the start to its end. Stuck is known for certain: no thread works, and no event is possible.
  End run();
  // Of an execution that failed.
  [[nodiscard]] const Failure &failure() const { return failure_; }
  // Calls f(rank) on the threads of all ranks, and waits for all.
  void onEachRank(const std::function<void(std::int32_t)> &f);
  // From any thread: ends the execution that is going on, soon, with End::stopped; or with End::failed.
  void stop();
  void fail(InstructionIndex instruction, std::string message);

private:
  // Where a rank's thread learns what it may do. The step is the next of its compute queue, once that may begin.
  struct Desk {
    std::mutex mutex;
    std::condition_variable wake;
    std::atomic<StepIndex> ready{none};
    bool asleep = false;
  };

  void live(std::int32_t rank);
  void execute(std::int32_t rank);
  StepIndex await(Desk &desk);
  void offer(StepIndex step) override;
  std::string perform(InstructionIndex instruction) override { return worker_.work(instruction); }
  void failed(InstructionIndex instruction, std::string message) override { fail(instruction, std::move(message)); }
  [[nodiscard]] bool isOver() const override { return over_.load(std::memory_order_relaxed); }
  void rest();
  void wakeAll();

  const Plan &plan_;
  Machine &machine_;
  Worker &worker_;
  std::chrono::nanoseconds spin_;
  std::vector<std::unique_ptr<Desk>> desks_;
  std::vector<std::thread> threads_;

  // Threads that work, or have been woken to do so. When it falls to zero nothing can happen any more.
  std::atomic<std::int32_t> working_{0};
  std::atomic<bool> over_{false};    // of this execution: nothing more will happen, or shall
  std::atomic<bool> stopped_{false}; // by stop() or fail()
  std::mutex failureMutex_;
  Failure failure_;

  // Between executions the threads wait for the next round.
  std::mutex roundMutex_;
  std::condition_variable roundBegins_, roundEnds_;
  std::uint64_t round_ = 0;
  std::int32_t busy_ = 0; // threads that have not ended the round
  bool leaving_ = false;
  std::function<void(std::int32_t)> task_;
};

} // namespace plumbline::runtime
