// `plumbline run`, for whichever backend is linked in.
#pragma once

#include "runtime/backend/backend.h"
#include "runtime/rank/rank_work.h"
#include "verifier/model/options.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <functional>
#include <vector>

namespace plumbline::runtime {

// What a backend gets to be made from. All outlive it.
struct BackendRequest {
  const Program *program = nullptr;
  model::Options options;
  const RunPlan *run = nullptr;
  const DataSource *data = nullptr;
  bool check = false;
};

struct BackendKind {
  const char *name = nullptr;
  // The models that a Program has to be verified under to run under `options` here: what this backend may do.
  std::vector<model::Options> (*behaviours)(const model::Options &options) = nullptr;
  // Why it cannot run under that model; empty: it can.
  std::string (*refuse)(const model::Options &options) = nullptr;
  const plumbline_stage_functions *(*bundledStage)(llvm::StringRef name) = nullptr;
  std::string (*describeStages)() = nullptr;
  // Number of the device that stages are made for; -1: the host.
  std::int32_t device = -1;
  std::function<Result<std::unique_ptr<Backend>>(const BackendRequest &request)> make = nullptr;
  // Of several processes: why not all are ready to make the backend, or empty; each calls it once, with a number that
  // is the same for all who are about to do the same. Null: there is one process.
  std::function<std::string(bool ready, std::uint64_t plan)> allReady = nullptr;
};

// For allReady: of all processes whether they are ready, and their numbers, in turn. Empty, or who differs.
std::string whyNotTogether(llvm::ArrayRef<std::uint64_t> readyAndPlan);

// Everything from the arguments to the exit code.
int runCommand(int argc, char **argv, const BackendKind &kind);

} // namespace plumbline::runtime
