#include "tests/runtime/reference.h"

#include "runtime/memory/extents.h"

#include "gtest/gtest.h"

#include <array>
#include <cmath>
#include <cstring>

namespace plumbline::runtime::testing {
namespace {

std::array<char, 512> message;

} // namespace

struct Reference::Stage {
  std::unique_ptr<StageObject> object;
  HostDevice device;
  DeviceMemory input, output, labels, stash, outputGradient, inputGradient, parameters, gradients, optimizer, workspace;
  std::int64_t updates = 0;

  static plumbline_buffer buffer(const DeviceMemory &memory, const plumbline_extent &extent) {
    return {memory.data(), extent.count};
  }

  explicit Stage(std::unique_ptr<StageObject> made) : object(std::move(made)) {
    const plumbline_stage_sizes &s = object->sizes();
    input = DeviceMemory(device, bytesOf(s.input));
    output = DeviceMemory(device, bytesOf(s.output));
    labels = DeviceMemory(device, bytesOf(s.labels));
    stash = DeviceMemory(device, bytesOf(s.stash));
    outputGradient = DeviceMemory(device, bytesOf(s.output));
    inputGradient = DeviceMemory(device, bytesOf(s.input));
    parameters = DeviceMemory(device, bytesOf(s.parameters));
    gradients = DeviceMemory(device, bytesOf(s.gradients));
    optimizer = DeviceMemory(device, bytesOf(s.optimizer));
    workspace = DeviceMemory(device, s.workspace);
    const plumbline_update first = update(0);
    EXPECT_EQ(object->functions().initialize(object->handle(), &first), 0) << message.data();
  }

  plumbline_update update(float learningRate) {
    const plumbline_stage_sizes &s = object->sizes();
    return {nullptr,
            updates,
            learningRate,
            buffer(parameters, s.parameters),
            buffer(parameters, s.parameters),
            buffer(gradients, s.gradients),
            buffer(optimizer, s.optimizer),
            {workspace.data(), s.workspace},
            message.data(),
            message.size()};
  }

  plumbline_pass pass(std::int32_t microbatch, float scale, bool first, bool last) {
    const plumbline_stage_sizes &s = object->sizes();
    const plumbline_buffer absent{nullptr, 0};
    return {microbatch,
            nullptr,
            scale,
            buffer(input, s.input),
            buffer(output, s.output),
            last ? buffer(labels, s.labels) : absent,
            buffer(stash, s.stash),
            last ? absent : buffer(outputGradient, s.output),
            first ? absent : buffer(inputGradient, s.input),
            buffer(parameters, s.parameters),
            buffer(gradients, s.gradients),
            {workspace.data(), s.workspace},
            message.data(),
            message.size()};
  }
};

Reference::Reference(const StageMaker &maker, std::int32_t stages) {
  for (std::int32_t position = 0; position < stages; ++position) {
    Result<std::unique_ptr<StageObject>> object = StageObject::make(maker, position, stages, -1);
    if (!object) {
      ADD_FAILURE() << object.error().message;
      return;
    }
    stages_.push_back(std::make_unique<Stage>(std::move(*object)));
  }
}

Reference::~Reference() = default;

double Reference::run(const DataSource &data, std::int64_t step, std::int64_t first, std::int64_t end, float scale) {
  double losses = 0;
  for (std::int64_t sample = first; sample < end; ++sample) {
    const auto m = static_cast<std::int32_t>(sample - first);
    Stage &front = *stages_.front(), &back = *stages_.back();
    data.fill(step, sample, {front.input.data(), front.object->sizes().input},
              {back.labels.data(), back.object->sizes().labels});
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      Stage &stage = *stages_[s];
      if (s > 0)
        std::memcpy(stage.input.data(), stages_[s - 1]->output.data(), stage.input.bytes());
      const plumbline_pass pass = stage.pass(m, scale, s == 0, s + 1 == stages_.size());
      EXPECT_EQ(stage.object->functions().forward(stage.object->handle(), &pass), 0) << message.data();
    }
    losses += static_cast<double>(*static_cast<const float *>(back.output.data()));
    for (std::size_t s = stages_.size(); s-- > 0;) {
      Stage &stage = *stages_[s];
      if (s + 1 < stages_.size())
        std::memcpy(stage.outputGradient.data(), stages_[s + 1]->inputGradient.data(), stage.outputGradient.bytes());
      const plumbline_pass pass = stage.pass(m, scale, s == 0, s + 1 == stages_.size());
      EXPECT_EQ(stage.object->functions().backward(stage.object->handle(), &pass), 0) << message.data();
    }
  }
  return losses;
}

void Reference::update(float learningRate) {
  for (const auto &stage : stages_) {
    const plumbline_update update = stage->update(learningRate);
    EXPECT_EQ(stage->object->functions().optimizer_step(stage->object->handle(), &update), 0) << message.data();
    ++stage->updates;
    if (stage->gradients.data())
      std::memset(stage->gradients.data(), 0, stage->gradients.bytes());
  }
}

std::vector<float> Reference::gradients(std::int32_t position) const {
  const DeviceMemory &memory = stages_[static_cast<std::size_t>(position)]->gradients;
  const auto *data = static_cast<const float *>(memory.data());
  return {data, data + memory.bytes() / sizeof(float)};
}

std::vector<char> Reference::parameters(std::int32_t position) const {
  const DeviceMemory &memory = stages_[static_cast<std::size_t>(position)]->parameters;
  const auto *data = static_cast<const char *>(memory.data());
  return {data, data + memory.bytes()};
}

void Reference::setParameters(std::int32_t position, const std::vector<char> &bytes) {
  std::memcpy(stages_[static_cast<std::size_t>(position)]->parameters.data(), bytes.data(), bytes.size());
}

double relativeDifference(const std::vector<float> &a, const std::vector<float> &b) {
  if (a.size() != b.size())
    return INFINITY;
  double most = 0, difference = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const auto x = static_cast<double>(a[k]), y = static_cast<double>(b[k]);
    if (!std::isfinite(x) || !std::isfinite(y))
      return INFINITY;
    most = std::max({most, std::fabs(x), std::fabs(y)});
    difference = std::max(difference, std::fabs(x - y));
  }
  return most == 0 ? 0 : difference / most;
}

std::vector<float> asFloats(const std::vector<char> &bytes) {
  std::vector<float> floats(bytes.size() / sizeof(float));
  if (!floats.empty())
    std::memcpy(floats.data(), bytes.data(), floats.size() * sizeof(float));
  return floats;
}

} // namespace plumbline::runtime::testing
