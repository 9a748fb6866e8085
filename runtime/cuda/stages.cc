#include "runtime/cuda/stages.h"

#include "runtime/cuda/check.h"
#include "runtime/cuda/kernels.h"
#include "runtime/cuda/operations.h"
#include "runtime/operations/host_operations.h"
#include "runtime/stages/model.h"
#include "runtime/stages/synthetic.h"

namespace plumbline::runtime::cuda {
namespace {

std::unique_ptr<operations::Operations> makeOperations(std::int32_t device, operations::Element element,
                                                       std::string &whyNot) {
  return device < 0 ? operations::makeHostOperations(element) : makeCudaOperations(device, element, whyNot);
}

class DeviceRunner final : public stages::SyntheticRunner {
public:
  std::string run(void *stream, const stages::SyntheticForward &pass, std::int64_t time) override {
    return enqueue(stream, pass, time);
  }
  std::string run(void *stream, const stages::SyntheticBackward &pass, std::int64_t time) override {
    return enqueue(stream, pass, time);
  }
  std::string run(void *stream, const stages::SyntheticFirstValues &pass, std::int64_t time) override {
    return enqueue(stream, pass, time);
  }
  std::string run(void *stream, const stages::SyntheticUpdate &pass, std::int64_t time) override {
    return enqueue(stream, pass, time);
  }

private:
  template <typename Pass> static std::string enqueue(void *stream, const Pass &pass, std::int64_t microseconds) {
    return check(launch(static_cast<cudaStream_t>(stream), Timed<Pass>{pass, microseconds}, 1), "a kernel's launch");
  }
};

std::unique_ptr<stages::SyntheticRunner> makeRunner(std::int32_t device, std::string &whyNot) {
  if (device < 0)
    return stages::makeHostSynthetic(device, whyNot);
  return std::make_unique<DeviceRunner>();
}

} // namespace

const plumbline_stage_functions *cudaStage(llvm::StringRef name) {
  using stages::Architecture;
  static const plumbline_stage_functions mlp = stages::modelFunctions<Architecture::mlp, makeOperations>();
  static const plumbline_stage_functions transformer =
      stages::modelFunctions<Architecture::transformer, makeOperations>();
  static const plumbline_stage_functions synthetic = stages::syntheticFunctions<makeRunner>();
  for (const plumbline_stage_functions *functions : {&mlp, &transformer, &synthetic})
    if (name == functions->name)
      return functions;
  return nullptr;
}

} // namespace plumbline::runtime::cuda
