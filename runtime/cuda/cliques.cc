#include "runtime/cuda/cliques.h"

#include "llvm/ADT/STLExtras.h"

namespace plumbline::runtime::cuda {

std::int32_t Clique::rankOf(WorldRank member) const {
  const auto found = llvm::find(members, member);
  return found == members.end() ? -1 : static_cast<std::int32_t>(found - members.begin());
}

CliquePlan planCliques(const Plan &plan, std::int32_t copies, llvm::ArrayRef<std::vector<Share>> shares) {
  const Program &program = *plan.program;
  std::vector<bool> used(program.communicators.size(), false);
  for (const Instruction &i : program.instructions)
    if (needsOthers(i))
      used[static_cast<std::size_t>(i.communicator.value())] = true;
  CliquePlan result;
  for (std::int32_t copy = 0; copy < copies; ++copy)
    for (std::size_t c = 0; c < used.size(); ++c) {
      result.ofCommunicator.push_back(used[c] ? static_cast<std::uint32_t>(result.cliques.size()) : none);
      if (!used[c])
        continue;
      Clique clique{program.communicators[c].name, {}};
      for (const RankId member : program.communicators[c].members)
        clique.members.push_back(copy * program.rankCount() + member.value());
      if (clique.members.empty()) // every rank
        for (std::int32_t rank = 0; rank < program.rankCount(); ++rank)
          clique.members.push_back(copy * program.rankCount() + rank);
      result.cliques.push_back(std::move(clique));
    }
  for (std::size_t position = 0; position < shares.size(); ++position) {
    Clique clique{"gradients of stage " + std::to_string(position), {}};
    for (const Share &share : shares[position])
      if (!llvm::is_contained(clique.members, share.holder))
        clique.members.push_back(share.holder);
    result.ofPosition.push_back(clique.members.size() > 1 ? static_cast<std::uint32_t>(result.cliques.size()) : none);
    if (clique.members.size() > 1)
      result.cliques.push_back(std::move(clique));
  }
  return result;
}

} // namespace plumbline::runtime::cuda
