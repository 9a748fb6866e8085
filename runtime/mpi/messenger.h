// The messages and collectives of one rank, as MPI's: started in the order in which they are posted, and looked after
// until they are done.
//
// A send is synchronous (MPI_Issend): it ends once its receive has been called, which is the model's rendezvous,
// whatever MPI's eager limit is.
#pragma once

#include "runtime/host/machine.h"
#include "runtime/mpi/communicators.h"
#include "runtime/rank/rank_work.h"

#include <mutex>

namespace plumbline::runtime::mpi {

class Messenger : public Remote {
public:
  // All must outlive this.
  Messenger(const Plan &plan, const RunPlan &run, RankWork &work, const Communicators &communicators)
      : plan_(plan), run_(run), work_(work), communicators_(communicators) {}

  // From any thread.
  void post(InstructionIndex instruction) override;

  // The rest only from the thread that calls MPI.
  // Starts what was posted, and adds what is done; empty, or MPI's error with `failed` the instruction.
  std::string progress(std::vector<InstructionIndex> &done, InstructionIndex &failed);
  [[nodiscard]] bool idle() const { return requests_.empty(); }

private:
  int start(InstructionIndex instruction, MPI_Request &request);
  int startMessage(const Instruction &i, const BoundMessage &message, MPI_Request &request);
  int startBroadcast(const Instruction &i, const BoundMessage &message, MPI_Request &request);
  int startSum(const Instruction &i, MPI_Request &request);

  const Plan &plan_;
  const RunPlan &run_;
  RankWork &work_;
  const Communicators &communicators_;
  std::mutex mutex_;
  std::vector<InstructionIndex> posted_;   // not started yet
  std::vector<InstructionIndex> starting_; // kept for its memory
  std::vector<MPI_Request> requests_;      // going on
  std::vector<InstructionIndex> owners_;   // of the requests
  std::vector<int> finished_;
};

} // namespace plumbline::runtime::mpi
