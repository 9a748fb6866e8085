#include "runtime/rank/stage_state.h"

#include "runtime/memory/extents.h"

#include "llvm/ADT/StringRef.h"

#include <array>

namespace plumbline::runtime {
namespace {

constexpr std::uint64_t mostBytes = std::uint64_t(1)
                                    << 46U; // 64 TiB, far beyond any device; keeps sums from overflowing

std::string checkSizes(const plumbline_stage_sizes &sizes, bool last) {
  for (const plumbline_extent &extent :
       {sizes.input, sizes.output, sizes.labels, sizes.stash, sizes.parameters, sizes.gradients, sizes.optimizer}) {
    if (extent.count > 0 && bytesOfElement(extent.element) == 0)
      return "asks for elements of type " + std::to_string(extent.element) + ", which does not exist";
    if (extent.count > mostBytes)
      return "asks for " + std::to_string(extent.count) + " elements, more than any memory has";
  }
  if (sizes.workspace > mostBytes)
    return "asks for " + std::to_string(sizes.workspace) + " bytes of workspace, more than any memory has";
  if (sizes.gradients.count > 0 && sizes.gradients.element != PLUMBLINE_F32)
    return "has gradients of another type than f32";
  if (last && (sizes.output.count != 1 || sizes.output.element != PLUMBLINE_F32))
    return "is the last one, and its output is not one f32, the loss";
  return "";
}

} // namespace

Result<std::unique_ptr<StageObject>> StageObject::make(const StageMaker &maker, std::int32_t position,
                                                       std::int32_t stages, std::int32_t device) {
  const plumbline_stage_functions &f = *maker.functions;
  const std::string name = f.name ? f.name : "";
  if (f.interface_version != PLUMBLINE_STAGE_INTERFACE)
    return Diagnostic{name, 0, 0,
                      "is made for version " + std::to_string(f.interface_version) +
                          " of the stage interface; this Plumbline has version " +
                          std::to_string(PLUMBLINE_STAGE_INTERFACE)};
  if (!f.name || !f.create || !f.destroy || !f.initialize || !f.forward || !f.backward || !f.optimizer_step ||
      !f.backward_input != !f.backward_weight)
    return Diagnostic{name, 0, 0, "lacks a function of the stage interface"};
  std::unique_ptr<StageObject> object(new StageObject());
  object->functions_ = &f;
  std::array<char, 512> message{};
  const plumbline_stage_request request{position, stages, device, maker.seed, maker.options.c_str()};
  if (f.create(&request, &object->handle_, &object->sizes_, message.data(), message.size()) != 0) {
    object->handle_ = nullptr;
    message.back() = 0;
    const std::string text = message.front() ? message.data() : saidNothing;
    // Stages of ours begin with their name already.
    return Diagnostic{llvm::StringRef(text).starts_with(name) ? "" : name, 0, 0, text};
  }
  if (std::string wrong = checkSizes(object->sizes_, position + 1 == stages); !wrong.empty())
    return Diagnostic{name, 0, 0, "stage " + std::to_string(position) + " " + wrong};
  return object;
}

StageObject::~StageObject() {
  if (handle_)
    functions_->destroy(handle_);
}

Result<std::vector<plumbline_stage_sizes>> sizesOfPipeline(const StageMaker &maker, std::int32_t stages,
                                                           std::int32_t device) {
  std::vector<plumbline_stage_sizes> sizes;
  for (std::int32_t position = 0; position < stages; ++position) {
    Result<std::unique_ptr<StageObject>> object = StageObject::make(maker, position, stages, device);
    if (!object)
      return object.error();
    sizes.push_back((*object)->sizes());
    if (position == 0)
      continue;
    const plumbline_extent &output = sizes[sizes.size() - 2].output, &input = sizes.back().input;
    if (output.count != input.count || output.element != input.element)
      return Diagnostic{maker.functions->name, 0, 0,
                        "stage " + std::to_string(position - 1) + " makes another output than stage " +
                            std::to_string(position) + " takes"};
  }
  return sizes;
}

} // namespace plumbline::runtime
