// In place of the backend, in builds without --config=cuda.
#include "runtime/cuda/cuda_backend.h"
#include "runtime/cuda/stages.h"

namespace plumbline::runtime::cuda {
namespace {

Diagnostic absent() {
  return {"cuda", 0, 0, "this plumbline was built without CUDA; bazel build --config=cuda builds one with it"};
}

} // namespace

Result<std::int32_t> countDevices() { return absent(); }

Result<std::unique_ptr<Backend>> makeCudaBackend(const Program &, const model::Options &, const RunPlan &,
                                                 const DataSource &, const CudaSettings &) {
  return absent();
}

const plumbline_stage_functions *cudaStage(llvm::StringRef) { return nullptr; }

} // namespace plumbline::runtime::cuda
