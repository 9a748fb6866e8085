// Builds a Program rank by rank, keeping its arrays consistent.
#pragma once

#include "verifier/ir/program.h"

#include "llvm/ADT/StringMap.h"

namespace plumbline {

class ProgramBuilder {
public:
  // The Program's header fields (name, mode, sizes, files) are the caller's to set.
  Program &program() { return program_; }

  void setStages(std::int32_t stagesPerReplica, std::int32_t replicas);
  PoolId addPool(Pool pool);
  CommunicatorId addCommunicator(Communicator communicator);
  LabelId label(llvm::StringRef text); // the same id for the same text
  GroupId newGroup() { return GroupId(program_.groupCount++); }

  // Ranks are opened in order 0, 1, ...; instructions are appended to the rank opened last.
  RankId beginRank();
  // Appends `instruction` (rank, accesses and waits are filled in here). Waits must have been appended to this rank.
  InstructionId append(Instruction instruction, llvm::ArrayRef<SlotAccess> accesses = {},
                       llvm::ArrayRef<InstructionId> waits = {});

  Program take() && { return std::move(program_); }

private:
  Program program_;
  llvm::StringMap<LabelId> labels_;
};

} // namespace plumbline
