// Which NCCL communicators a run needs, and between whom.
#pragma once

#include "runtime/cuda/gradient_sums.h"
#include "runtime/plan/plan.h"

#include <string>
#include <vector>

namespace plumbline::runtime::cuda {

// The members of one communicator, by their rank in it.
struct Clique {
  std::string name; // for people
  std::vector<WorldRank> members;

  // The rank of a member in it; -1 of others.
  [[nodiscard]] std::int32_t rankOf(WorldRank member) const;
};

// The same, in the same order, on every process. Each rank makes its communicators in that order, so that no two wait
// for each other.
struct CliquePlan {
  std::vector<Clique> cliques;
  // Indices into cliques; none: nothing uses it. By copy and communicator of the Program (copy * communicators + it):
  std::vector<std::uint32_t> ofCommunicator;
  // By position in the pipeline: of those who have a share of its gradients; none: there are no two.
  std::vector<std::uint32_t> ofPosition;
};

// `shares` as of sharesOfGradients.
CliquePlan planCliques(const Plan &plan, std::int32_t copies, llvm::ArrayRef<std::vector<Share>> shares);

} // namespace plumbline::runtime::cuda
