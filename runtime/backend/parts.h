// The memory behind Backend::read and Backend::write.
#pragma once

#include "runtime/backend/backend.h"
#include "runtime/rank/rank_work.h"

namespace plumbline::runtime {

// Of the newest version, if it has several.
DeviceMemory &partOf(StageState &state, Backend::Part part);

// Copies out of the device, and into it where the sizes are equal. Between two steps.
std::vector<char> readPart(RankWork &work, StageId stage, Backend::Part part);
void writePart(RankWork &work, StageId stage, Backend::Part part, llvm::ArrayRef<char> bytes);

// Why gradients of copies and replicas cannot be added up after the step: weights are updated within it. Empty: they
// can.
std::string whyNotShared(const RunPlan &run);

} // namespace plumbline::runtime
