#include "runtime/stages/synthetic.h"

#include "runtime/stages/calls.h"
#include "runtime/stages/deadline.h"

#include <cstdint>
#include <memory>
#include <string>

namespace plumbline::stages {
namespace {

constexpr double mostMicroseconds = 1e9;
constexpr double mostBytes = 1LL << 40;

constexpr Option options[] = {
    {"forward_us", "microseconds of a forward pass", 1000, 0, mostMicroseconds},
    {"backward_us", "of a whole backward pass; if not given, the sum of its halves", 0, 0, mostMicroseconds},
    {"backward_input_us", "of its input half", 1000, 0, mostMicroseconds},
    {"backward_weight_us", "of its weight half", 1000, 0, mostMicroseconds},
    {"update_us", "of an update of the weights", 0, 0, mostMicroseconds},
    {"bytes", "size of an activation", 4096, 16, mostBytes},
    {"stash_bytes", "what a microbatch keeps for its backward pass", 4096, 24, mostBytes},
};

constexpr plumbline_extent weights = {syntheticLanes, PLUMBLINE_F32};

class HostRunner final : public SyntheticRunner {
public:
  std::string run(void *, const SyntheticForward &pass, std::int64_t time) override { return runOnHost(pass, time); }
  std::string run(void *, const SyntheticBackward &pass, std::int64_t time) override { return runOnHost(pass, time); }
  std::string run(void *, const SyntheticFirstValues &pass, std::int64_t time) override {
    return runOnHost(pass, time);
  }
  std::string run(void *, const SyntheticUpdate &pass, std::int64_t time) override { return runOnHost(pass, time); }

private:
  template <typename Pass> static std::string runOnHost(const Pass &pass, std::int64_t microseconds) {
    const Deadline deadline(microseconds);
    pass();
    deadline.wait();
    return "";
  }
};

class Synthetic {
public:
  Synthetic(const plumbline_stage_request &request, const Options &given, std::unique_ptr<SyntheticRunner> runner)
      : name_("synthetic stage " + std::to_string(request.stage)), stage_(request.stage), stages_(request.stages),
        seed_(request.seed), forwardTime_(given.whole("forward_us")), inputTime_(given.whole("backward_input_us")),
        weightTime_(given.whole("backward_weight_us")),
        backwardTime_(given.given("backward_us") ? given.whole("backward_us") : inputTime_ + weightTime_),
        updateTime_(given.whole("update_us")), bytes_(static_cast<std::uint64_t>(given.whole("bytes"))),
        stashBytes_(static_cast<std::uint64_t>(given.whole("stash_bytes"))), runner_(std::move(runner)) {}

  [[nodiscard]] plumbline_stage_sizes sizes() const;
  int forward(const plumbline_pass &pass) const;
  int backward(const plumbline_pass &pass) const { return backward(pass, true, true, backwardTime_); }
  int backwardInput(const plumbline_pass &pass) const { return backward(pass, true, false, inputTime_); }
  int backwardWeight(const plumbline_pass &pass) const { return backward(pass, false, true, weightTime_); }
  int initialize(const plumbline_update &update) const;
  int optimizerStep(const plumbline_update &update) const;

private:
  [[nodiscard]] bool isLast() const { return stage_ == stages_ - 1; }
  [[nodiscard]] SyntheticPlace placeOf(const plumbline_pass &pass) const {
    return {stage_, pass.microbatch, pass.parameters.data};
  }
  int backward(const plumbline_pass &pass, bool inputHalf, bool weightHalf, std::int64_t time) const;
  int require(const plumbline_pass &pass, std::initializer_list<Needed> more) const;
  int result(const std::string &wrong, char *message, std::size_t size) const {
    return wrong.empty() ? 0 : fail(message, size, name_ + ": " + wrong);
  }

  std::string name_; // for messages
  std::int32_t stage_;
  std::int32_t stages_;
  std::uint64_t seed_;
  std::int64_t forwardTime_;
  std::int64_t inputTime_;
  std::int64_t weightTime_;
  std::int64_t backwardTime_;
  std::int64_t updateTime_;
  std::uint64_t bytes_;
  std::uint64_t stashBytes_;
  std::unique_ptr<SyntheticRunner> runner_;
};

plumbline_stage_sizes Synthetic::sizes() const {
  plumbline_stage_sizes sizes = {};
  sizes.input = {bytes_, PLUMBLINE_BYTE};
  sizes.output = isLast() ? plumbline_extent{1, PLUMBLINE_F32} : sizes.input;
  sizes.stash = {stashBytes_, PLUMBLINE_BYTE};
  sizes.parameters = weights;
  sizes.gradients = weights;
  return sizes;
}

int Synthetic::require(const plumbline_pass &pass, std::initializer_list<Needed> more) const {
  const int failed = requireBuffers(
      name_.c_str(), {{"stash", pass.stash, {stashBytes_, PLUMBLINE_BYTE}}, {"parameters", pass.parameters, weights}},
      pass.message, pass.message_size);
  return failed != 0 ? failed : requireBuffers(name_.c_str(), more, pass.message, pass.message_size);
}

int Synthetic::forward(const plumbline_pass &pass) const {
  const plumbline_stage_sizes needed = sizes();
  if (require(pass, {{"input", pass.input, needed.input}, {"output", pass.output, needed.output}}) != 0)
    return 1;
  const SyntheticForward forward = {.place = placeOf(pass),
                                    .first = stage_ == 0,
                                    .last = isLast(),
                                    .bytes = bytes_,
                                    .input = pass.input.data,
                                    .output = pass.output.data,
                                    .stash = pass.stash.data};
  return result(runner_->run(pass.stream, forward, forwardTime_), pass.message, pass.message_size);
}

int Synthetic::backward(const plumbline_pass &pass, bool inputHalf, bool weightHalf, std::int64_t time) const {
  const plumbline_extent bytes = {bytes_, PLUMBLINE_BYTE};
  const plumbline_extent nothing = {};
  if (require(pass, {{"output gradient", pass.output_gradient, inputHalf && !isLast() ? bytes : nothing},
                     {"input gradient", pass.input_gradient, inputHalf && pass.input_gradient.data ? bytes : nothing},
                     {"gradients", pass.gradients, weightHalf ? weights : nothing}}) != 0)
    return 1;
  const SyntheticBackward backward = {.place = placeOf(pass),
                                      .last = isLast(),
                                      .differentiates = inputHalf,
                                      .accumulates = weightHalf,
                                      .scale = pass.scale,
                                      .bytes = bytes_,
                                      .outputGradient = pass.output_gradient.data,
                                      .inputGradient = pass.input_gradient.data,
                                      .stash = pass.stash.data,
                                      .gradients = static_cast<float *>(pass.gradients.data)};
  return result(runner_->run(pass.stream, backward, time), pass.message, pass.message_size);
}

int Synthetic::initialize(const plumbline_update &update) const {
  if (requireBuffers(name_.c_str(), {{"parameters", update.parameters, weights}}, update.message,
                     update.message_size) != 0)
    return 1;
  const SyntheticFirstValues first = {
      .seed = seed_, .stage = stage_, .parameters = static_cast<float *>(update.parameters.data)};
  return result(runner_->run(update.stream, first, 0), update.message, update.message_size);
}

int Synthetic::optimizerStep(const plumbline_update &update) const {
  if (requireBuffers(name_.c_str(),
                     {{"parameters before the update", update.from, weights},
                      {"parameters", update.parameters, weights},
                      {"gradients", update.gradients, weights}},
                     update.message, update.message_size) != 0)
    return 1;
  const SyntheticUpdate step = {.rate = update.learning_rate,
                                .from = static_cast<const float *>(update.from.data),
                                .gradients = static_cast<const float *>(update.gradients.data),
                                .to = static_cast<float *>(update.parameters.data)};
  return result(runner_->run(update.stream, step, updateTime_), update.message, update.message_size);
}

const Synthetic &syntheticOf(void *stage) { return *static_cast<const Synthetic *>(stage); }

} // namespace

llvm::ArrayRef<Option> syntheticOptions() { return options; }

std::unique_ptr<SyntheticRunner> makeHostSynthetic(std::int32_t device, std::string &whyNot) {
  if (device < 0)
    return std::make_unique<HostRunner>();
  whyNot = "these stages work in host memory; got device " + std::to_string(device);
  return nullptr;
}

int createSynthetic(SyntheticFactory factory, const plumbline_stage_request *request, void **stage,
                    plumbline_stage_sizes *sizes, char *message, std::size_t messageSize) {
  if (requireStage("synthetic", *request, message, messageSize) != 0)
    return 1;
  Options given;
  std::string wrong = given.read(options, request->options ? request->options : "");
  if (!wrong.empty())
    return fail(message, messageSize, "synthetic: " + wrong);
  std::unique_ptr<SyntheticRunner> runner = factory(request->device, wrong);
  if (!runner)
    return fail(message, messageSize, "synthetic: " + wrong);
  auto synthetic = std::make_unique<Synthetic>(*request, given, std::move(runner));
  *sizes = synthetic->sizes();
  *stage = synthetic.release();
  return 0;
}

const plumbline_stage_functions syntheticPasses = {
    .interface_version = PLUMBLINE_STAGE_INTERFACE,
    .name = "synthetic",
    .create = nullptr,
    .destroy = [](void *stage) { delete static_cast<Synthetic *>(stage); },
    .initialize = [](void *stage, const plumbline_update *update) { return syntheticOf(stage).initialize(*update); },
    .forward = [](void *stage, const plumbline_pass *pass) { return syntheticOf(stage).forward(*pass); },
    .backward = [](void *stage, const plumbline_pass *pass) { return syntheticOf(stage).backward(*pass); },
    .backward_input = [](void *stage, const plumbline_pass *pass) { return syntheticOf(stage).backwardInput(*pass); },
    .backward_weight = [](void *stage, const plumbline_pass *pass) { return syntheticOf(stage).backwardWeight(*pass); },
    .optimizer_step = [](void *stage,
                         const plumbline_update *update) { return syntheticOf(stage).optimizerStep(*update); },
};

} // namespace plumbline::stages
