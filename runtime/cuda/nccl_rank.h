// One rank that reaches others by NCCL: its communicators, and the walk through its instructions.
//
// The host walks the rank's steps (enqueue_order.h) and waits for none, unless the model says so (--wait group).
// Communicators do not block the host (blocking=0), so each call is followed by polling until
// NCCL has taken it in: only then has it put work on the stream (NCCL user guide, "Creating a communicator with
// options" and "Asynchronous errors and error handling"). Every such wait ends when the run is given up.
#pragma once

#include "runtime/cuda/cliques.h"
#include "runtime/cuda/cuda_rank.h"
#include "runtime/cuda/enqueue_order.h"

#include <atomic>
#include <chrono>
#include <mutex>

namespace plumbline::runtime::cuda {

// What the ranks here share.
struct NcclShared {
  const Plan &plan;
  const RunPlan &run;
  const CliquePlan &cliques;
  const std::vector<std::vector<Share>> &shares;
  std::chrono::milliseconds patience;
  bool reduceScatter = false;
  std::atomic<bool> over{false}; // the run is given up
};

class NcclRank {
public:
  // All must outlive it.
  NcclRank(NcclShared &shared, CudaRank &rank);

  // Makes the rank's communicators. `ids` by clique. Blocks until all members have done the same. All of what follows:
  // empty, or what failed.
  std::string open(llvm::ArrayRef<ncclUniqueId> ids);
  // Makes the connections of all its channels, so that no step has to (--connect ready). When all ranks here are open:
  // while kernels of NCCL run, a rank that allocates may wait for them (nccl issue 623).
  std::string connect();
  // Lets go of communicators with which everything went well. All ranks on one machine have to do it together.
  std::string close();
  // Those with which it did not, for ncclCommAbort(), which stops what is going on on the device; the rank has none
  // from then on. Waits up to a second for a call that the rank is in.
  std::vector<ncclComm_t> takeCommunicators();

  // Everything of one step, up to the streams being idle.
  Failure walk(float learningRate);
  // Adds up gradients with those of the other holders.
  std::string sumGradients();

  // For whoever looks after the ranks, from another thread.

  // An error that a communicator reports by itself; empty: none. Not while the rank is in a call.
  std::string asyncError();
  // Whether launches are under way and none has ended for as long as that.
  bool stalled(std::chrono::milliseconds patience, std::string &wrong);
  // What the rank is at: the oldest launch that is not done; none if it is at none.
  [[nodiscard]] InstructionIndex current() const {
    const InstructionIndex oldest = oldest_;
    return oldest == none ? enqueueing_.load() : oldest;
  }
  void startWatch();

  [[nodiscard]] CudaRank &rank() const { return rank_; }
  [[nodiscard]] WorldRank world() const { return world_; }

private:
  using Clock = std::chrono::steady_clock;

  std::string openOne(std::size_t clique, const ncclUniqueId &id);
  std::string connectOne(std::size_t clique);
  Failure enqueue(StepIndex step, float learningRate);
  std::string launchStep(StepIndex step, InstructionIndex &at);
  std::string launchOne(InstructionIndex i);
  std::string launchMessage(InstructionIndex i);
  std::string launchCollective(InstructionIndex i);
  std::string sumPosition(std::size_t position);
  std::string sumOver(std::uint32_t clique, float *data, std::size_t count);
  // Calls that put something on streams, as one group on these communicators; then polls until they have.
  std::string group(llvm::ArrayRef<std::uint32_t> cliques, llvm::function_ref<std::string()> calls);
  // Until NCCL has taken in what the communicator was told.
  std::string settle(std::uint32_t clique);
  // Until it is true, or the run is given up, or (if `patient`) patience ends.
  std::string await(llvm::function_ref<bool(std::string &)> done, const char *what);
  [[nodiscard]] std::string ofCommunicator(std::size_t clique) const; // for messages
  [[nodiscard]] std::uint32_t cliqueOf(CommunicatorId communicator) const;
  [[nodiscard]] std::uint32_t cliqueOf(InstructionIndex i) const;

  NcclShared &shared_;
  CudaRank &rank_;
  const WorldRank world_;
  std::vector<ncclComm_t> communicators_; // by clique; null: not a member
  DeviceMemory scratch_;                  // what nobody looks at

  // A communicator's calls must not overlap, and polling it is one.
  std::mutex calls_;
  EnqueueOrder order_;
  std::atomic<InstructionIndex> enqueueing_{none}; // the step that is being enqueued
  std::mutex launchedMutex_;
  std::vector<StepIndex> launched_;            // by the walk, and not seen by the watcher yet
  std::atomic<InstructionIndex> oldest_{none}; // the first of the pending launches

  // Of the watcher alone.
  std::vector<StepIndex> pending_; // launches that have been enqueued and were not done when last looked at
  Clock::time_point progress_;
};

} // namespace plumbline::runtime::cuda
