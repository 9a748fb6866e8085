#include "runtime/stages/stages.h"

#include "runtime/operations/host_operations.h"
#include "runtime/stages/model.h"
#include "runtime/stages/synthetic.h"

#include "llvm/ADT/STLExtras.h"

namespace plumbline::stages {
namespace {

constexpr BundledStage bundled[] = {
    {"mlp", "language model whose layers are MLPs: small, and quick to train"},
    {"transformer", "language model of causal attention and MLPs"},
    {"synthetic", "computes nothing, takes the time that it is told, and checks what it is handed"},
};

std::unique_ptr<operations::Operations> makeOperations(std::int32_t device, operations::Element element,
                                                       std::string &whyNot) {
  if (device < 0)
    return operations::makeHostOperations(element);
  whyNot = "these stages work in host memory; got device " + std::to_string(device);
  return nullptr;
}

llvm::ArrayRef<Option> optionsOf(llvm::StringRef name) {
  if (name == "synthetic")
    return syntheticOptions();
  return optionsOf(name == "mlp" ? Architecture::mlp : Architecture::transformer);
}

} // namespace

llvm::ArrayRef<BundledStage> bundledStages() { return bundled; }

const plumbline_stage_functions *bundledStage(llvm::StringRef name) {
  static const plumbline_stage_functions mlp = modelFunctions<Architecture::mlp, makeOperations>();
  static const plumbline_stage_functions transformer = modelFunctions<Architecture::transformer, makeOperations>();
  static const plumbline_stage_functions synthetic = syntheticFunctions<makeHostSynthetic>();
  for (const plumbline_stage_functions *functions : {&mlp, &transformer, &synthetic})
    if (name == functions->name)
      return functions;
  return nullptr;
}

std::string describeBundledStages() {
  std::string text;
  for (const BundledStage &stage : bundled)
    text += std::string("  ") + stage.name + ": " + stage.title + "\n" + describe(optionsOf(stage.name));
  return text;
}

} // namespace plumbline::stages
