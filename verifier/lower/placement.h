// Which rank holds which stage.
#pragma once

#include "verifier/ir/diagnostic.h"
#include "verifier/ir/schedule.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plumbline::lower {

// By stage. A stage without a rank has RankId().
using Placement = std::vector<RankId>;

// What the rows say: a stage is on the rank that forwards it, or else on a rank that does anything with it; of several
// ranks the first. Linear.
Placement placementOf(const Schedule &schedule);

// Stage s on rank s mod R. For replicas each is placed so.
Placement loopPlacement(std::int32_t stages, std::int32_t ranks);
// Stages go down the ranks and up again: with S = 2R stage s is on rank s or 2R-1-s.
Placement vPlacement(std::int32_t stages, std::int32_t ranks);

// Reads a placement file: a line "STAGE RANK" for each stage from 0 on, in any order; "stage 3 on rank 1" and "3: 1"
// are taken too; `#` starts a comment. Errors: a malformed line, a stage that is missing or there twice, a number of a
// million or more. Linear.
Result<Placement> parsePlacementFile(const std::string &name, llvm::StringRef text);

// Checks that a placement from outside fits the rows: every action stands on the rank of its stage. Returns the first
// fault, with its place in the schedule's file. Linear.
std::optional<Diagnostic> checkPlacement(const Schedule &schedule, llvm::ArrayRef<RankId> placement);

} // namespace plumbline::lower
