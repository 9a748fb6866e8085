// Weights, optimizer states and the number of the step, on disk: whole or not at all.
//
// A folder holds a folder for each saved step, with a file for each stage of the pipeline, and a file `latest` that
// names the step. `latest` is replaced in one go, once all files of its step are on disk, so a process that is killed
// at any moment leaves the save before. The files do not depend on ranks or on the schedule: a run may go on under
// another one with the same stages.
#pragma once

#include "runtime/backend/backend.h"

#include <string>

namespace plumbline::runtime {

// What a checkpoint must have been made with to be gone on with.
struct RunIdentity {
  std::string stage;   // its name
  std::string options; // as given
  std::uint64_t seed = 0;
  std::int32_t stages = 0;
};

// Saves after `step`. All processes of the backend call it. Empty, or what went wrong.
std::string saveCheckpoint(const std::string &folder, Backend &backend, const RunIdentity &identity, std::int64_t step);

// Loads the latest one, and writes its step. Errors: there is none; it was made with other stages; it is damaged.
Result<std::int64_t> loadCheckpoint(const std::string &folder, Backend &backend, const RunIdentity &identity);

} // namespace plumbline::runtime
