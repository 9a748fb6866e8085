#include "verifier/ir/builder.h"

namespace plumbline {

void ProgramBuilder::setStages(std::int32_t stagesPerReplica, std::int32_t replicas) {
  program_.stagesPerReplica = stagesPerReplica;
  program_.replicas = replicas;
  program_.stages.resize(static_cast<std::size_t>(stagesPerReplica) * static_cast<std::size_t>(replicas));
}

PoolId ProgramBuilder::addPool(Pool pool) {
  program_.pools.push_back(std::move(pool));
  return PoolId(static_cast<std::int32_t>(program_.pools.size()) - 1);
}

CommunicatorId ProgramBuilder::addCommunicator(Communicator communicator) {
  program_.communicators.push_back(std::move(communicator));
  return CommunicatorId(static_cast<std::int32_t>(program_.communicators.size()) - 1);
}

LabelId ProgramBuilder::label(llvm::StringRef text) {
  const auto [entry, isNew] = labels_.try_emplace(text, LabelId(static_cast<std::int32_t>(program_.labels.size())));
  if (isNew)
    program_.labels.push_back(text.str());
  return entry->second;
}

RankId ProgramBuilder::beginRank() {
  RankProgram rank;
  rank.instructions.first = static_cast<std::uint32_t>(program_.instructions.size());
  program_.ranks.push_back(rank);
  return RankId(program_.rankCount() - 1);
}

InstructionId ProgramBuilder::append(Instruction instruction, llvm::ArrayRef<SlotAccess> accesses,
                                     llvm::ArrayRef<InstructionId> waits) {
  instruction.rank = RankId(program_.rankCount() - 1);
  instruction.accesses = {static_cast<std::uint32_t>(program_.accesses.size()),
                          static_cast<std::uint32_t>(accesses.size())};
  instruction.waits = {static_cast<std::uint32_t>(program_.waits.size()), static_cast<std::uint32_t>(waits.size())};
  program_.accesses.insert(program_.accesses.end(), accesses.begin(), accesses.end());
  program_.waits.insert(program_.waits.end(), waits.begin(), waits.end());
  program_.instructions.push_back(instruction);
  ++program_.ranks.back().instructions.count;
  return InstructionId(static_cast<std::int32_t>(program_.instructions.size()) - 1);
}

} // namespace plumbline
