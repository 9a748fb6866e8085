#include "runtime/backend/parts.h"

#include "llvm/ADT/STLExtras.h"

namespace plumbline::runtime {

DeviceMemory &partOf(StageState &state, Backend::Part part) {
  switch (part) {
  case Backend::Part::parameters:
    return state.parameters.front();
  case Backend::Part::gradients:
    return state.gradients;
  case Backend::Part::optimizer:
    break;
  }
  return state.optimizer;
}

std::vector<char> readPart(RankWork &work, StageId stage, Backend::Part part) {
  const DeviceMemory &memory = partOf(work.stages().at(stage), part);
  std::vector<char> bytes(memory.bytes());
  if (!bytes.empty())
    work.device().read(bytes.data(), memory.data(), bytes.size(), work.stream());
  return bytes;
}

void writePart(RankWork &work, StageId stage, Backend::Part part, llvm::ArrayRef<char> bytes) {
  const DeviceMemory &memory = partOf(work.stages().at(stage), part);
  if (memory.bytes() == bytes.size() && !bytes.empty())
    work.device().write(memory.data(), bytes.data(), bytes.size(), work.stream());
}

std::string whyNotShared(const RunPlan &run) {
  const bool updatesWithin = llvm::any_of(run.versions.stages, [](const Versions &v) { return v.updates > 0; });
  if (!updatesWithin || (run.copies == 1 && run.program->replicas == 1))
    return "";
  return "updates weights within the step, so gradients cannot be added up over copies or replicas after it";
}

} // namespace plumbline::runtime
