#include "runtime/stages/testing/pipeline.h"

#include "runtime/stages/stages.h"

#include "llvm/ADT/STLExtras.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstring>

namespace plumbline::stages::testing {
namespace {

constexpr std::size_t guardBytes = 256;
constexpr auto guardByte = std::byte{0xa5};

std::size_t bytesOf(plumbline_extent extent) {
  constexpr std::size_t each[] = {1, 4, 2, 4}; // by plumbline_element
  return extent.count * each[extent.element];
}

} // namespace

Guarded::Guarded(plumbline_extent extent, std::uint8_t poison) : count_(extent.count), size_(bytesOf(extent)) {
  if (size_ == 0)
    return;
  memory_.assign(size_ + 3 * guardBytes, guardByte);
  data_ = memory_.data() + guardBytes;
  data_ += (guardBytes - reinterpret_cast<std::uintptr_t>(data_) % guardBytes) % guardBytes;
  fill(poison);
}

void Guarded::fill(std::uint8_t byte) const {
  if (data_)
    std::memset(data_, byte, size_);
}

bool Guarded::intact() const {
  const auto isGuard = [](std::byte byte) { return byte == guardByte; };
  return !data_ ||
         (std::all_of(memory_.data(), static_cast<const std::byte *>(data_), isGuard) &&
          std::all_of(static_cast<const std::byte *>(data_) + size_, memory_.data() + memory_.size(), isGuard));
}

Pipeline::Pipeline(llvm::StringRef name, const std::string &options, std::int32_t stages, std::int32_t microbatches,
                   std::uint8_t poison)
    : functions_(bundledStage(name)), poison_(poison) {
  for (std::int32_t stage = 0; stage < stages; ++stage)
    addStage(options, stage, stages, microbatches);
}

Pipeline::~Pipeline() {
  for (const Stage &stage : stages_)
    functions_->destroy(stage.object);
}

void Pipeline::addStage(const std::string &options, std::int32_t stage, std::int32_t stages,
                        std::int32_t microbatches) {
  Stage made;
  const plumbline_stage_request request = {stage, stages, -1, 1, options.c_str()};
  if (functions_->create(&request, &made.object, &made.sizes, message_, sizeof message_) != 0) {
    ADD_FAILURE() << message_;
    std::abort();
  }
  const plumbline_stage_sizes &sizes = made.sizes;
  made.parameters = Guarded(sizes.parameters, poison_);
  made.gradients = Guarded(sizes.gradients, 0);
  made.optimizer = Guarded(sizes.optimizer, poison_);
  made.workspace = Guarded({sizes.workspace, PLUMBLINE_BYTE}, poison_);
  for (std::int32_t microbatch = 0; microbatch < microbatches; ++microbatch) {
    if (stage == 0)
      made.inputs.emplace_back(sizes.input, 0);
    else
      made.inputGradients.emplace_back(sizes.input, poison_);
    made.labels.emplace_back(sizes.labels, 0);
    made.stashes.emplace_back(sizes.stash, poison_);
    made.outputs.emplace_back(sizes.output, poison_);
  }
  stages_.push_back(std::move(made));
  const plumbline_update update = updateOf(stages_.back());
  EXPECT_EQ(functions_->initialize(stages_.back().object, &update), 0) << message_;
}

plumbline_update Pipeline::updateOf(const Stage &stage) {
  stage.workspace.fill(poison_);
  return {.stream = nullptr,
          .step = step_,
          .learning_rate = 0,
          .from = stage.parameters.buffer(),
          .parameters = stage.parameters.buffer(),
          .gradients = stage.gradients.buffer(),
          .optimizer = stage.optimizer.buffer(),
          .workspace = stage.workspace.buffer(),
          .message = message_,
          .message_size = sizeof message_};
}

void Pipeline::setText(std::int32_t microbatch, llvm::ArrayRef<std::int32_t> text) {
  const auto m = static_cast<std::size_t>(microbatch);
  llvm::copy(text.drop_back(), stages_.front().inputs[m].as<std::int32_t>().begin());
  llvm::copy(text.drop_front(), stages_.back().labels[m].as<std::int32_t>().begin());
}

void Pipeline::setInputByte(std::int32_t microbatch, std::size_t place, std::uint8_t byte) {
  stages_.front().inputs[static_cast<std::size_t>(microbatch)].as<std::uint8_t>()[place] = byte;
}

void Pipeline::call(PassFunction function, std::int32_t number, std::int32_t microbatch, float scale) {
  const auto m = static_cast<std::size_t>(microbatch);
  const Stage &stage = at(number);
  const bool isFirst = number == 0;
  const bool isLast = number == stages() - 1;
  stage.workspace.fill(poison_);
  const plumbline_pass pass = {.microbatch = microbatch,
                               .stream = nullptr,
                               .scale = scale,
                               .input = (isFirst ? stage.inputs[m] : at(number - 1).outputs[m]).buffer(),
                               .output = stage.outputs[m].buffer(),
                               .labels = stage.labels[m].buffer(),
                               .stash = stage.stashes[m].buffer(),
                               .output_gradient =
                                   isLast ? plumbline_buffer{} : at(number + 1).inputGradients[m].buffer(),
                               .input_gradient = isFirst ? plumbline_buffer{} : stage.inputGradients[m].buffer(),
                               .parameters = stage.parameters.buffer(),
                               .gradients = stage.gradients.buffer(),
                               .workspace = stage.workspace.buffer(),
                               .message = message_,
                               .message_size = sizeof message_};
  EXPECT_EQ(function(stage.object, &pass), 0) << message_;
}

void Pipeline::forwardStage(std::int32_t stage, std::int32_t microbatch) {
  call(functions_->forward, stage, microbatch, 0);
}

float Pipeline::forward(std::int32_t microbatch) {
  for (std::int32_t stage = 0; stage < stages(); ++stage)
    forwardStage(stage, microbatch);
  return output(stages() - 1, microbatch).as<float>()[0];
}

void Pipeline::backward(std::int32_t microbatch, float scale, Backward way) {
  for (std::int32_t stage = stages() - 1; stage >= 0; --stage)
    call(way == Backward::whole ? functions_->backward : functions_->backward_input, stage, microbatch, scale);
  // Weight halves last, as zero-bubble schedules put them off; they do not get to see the scale.
  for (std::int32_t stage = 0; stage < stages() && way == Backward::halves; ++stage)
    call(functions_->backward_weight, stage, microbatch, 0);
}

void Pipeline::update(float learningRate) {
  for (const Stage &stage : stages_) {
    plumbline_update update = updateOf(stage);
    update.learning_rate = learningRate;
    EXPECT_EQ(functions_->optimizer_step(stage.object, &update), 0) << message_;
    stage.gradients.fill(0);
  }
  ++step_;
}

std::vector<std::byte> Pipeline::state() const {
  std::vector<std::byte> all;
  for (const Stage &stage : stages_)
    for (const Guarded *const part : {&stage.parameters, &stage.gradients})
      all.insert(all.end(), part->bytes().begin(), part->bytes().end());
  return all;
}

bool Pipeline::intact() const {
  const auto fine = [](const Guarded &guarded) { return guarded.intact(); };
  return llvm::all_of(stages_, [&](const Stage &stage) {
    return fine(stage.parameters) && fine(stage.gradients) && fine(stage.optimizer) && fine(stage.workspace) &&
           llvm::all_of(stage.inputs, fine) && llvm::all_of(stage.labels, fine) && llvm::all_of(stage.stashes, fine) &&
           llvm::all_of(stage.outputs, fine) && llvm::all_of(stage.inputGradients, fine);
  });
}

} // namespace plumbline::stages::testing
