#include "runtime/stages/synthetic.h"

#include "runtime/operations/random.h"
#include "runtime/stages/calls.h"
#include "runtime/stages/deadline.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

namespace plumbline::stages {
namespace {

using operations::mix;

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

// Parameters and gradients are that many f32. A digest is added to the gradients as bytes: sums of up to 65,793 bytes
// are exact in any order.
constexpr std::uint64_t lanes = 8;
// Of the data source's input so much counts, lest reading it take time.
constexpr std::uint64_t mostHashed = 512;

// What the passes of a microbatch leave for each other, at the start of the stash.
struct Stash {
  std::uint64_t input = 0;
  std::uint64_t output = 0;
  std::uint64_t gradient = 0;
};

std::uint64_t wordAt(const void *data, std::uint64_t offset) {
  std::uint64_t word = 0;
  std::memcpy(&word, static_cast<const std::byte *>(data) + offset, sizeof word);
  return word;
}

class Synthetic {
public:
  Synthetic(const plumbline_stage_request &request, const Options &given)
      : name_("synthetic stage " + std::to_string(request.stage)), stage_(request.stage), stages_(request.stages),
        seed_(request.seed), forwardTime_(given.whole("forward_us")), inputTime_(given.whole("backward_input_us")),
        weightTime_(given.whole("backward_weight_us")),
        backwardTime_(given.given("backward_us") ? given.whole("backward_us") : inputTime_ + weightTime_),
        updateTime_(given.whole("update_us")), bytes_(static_cast<std::uint64_t>(given.whole("bytes"))),
        stashBytes_(static_cast<std::uint64_t>(given.whole("stash_bytes"))) {}

  [[nodiscard]] plumbline_stage_sizes sizes() const;
  int forward(const plumbline_pass &pass) const;
  int backward(const plumbline_pass &pass) const;
  int backwardInput(const plumbline_pass &pass) const;
  int backwardWeight(const plumbline_pass &pass) const;
  int initialize(const plumbline_update &update) const;
  int optimizerStep(const plumbline_update &update) const;

private:
  [[nodiscard]] bool isFirst() const { return stage_ == 0; }
  [[nodiscard]] bool isLast() const { return stage_ == stages_ - 1; }

  // The digest in an activation or gradient, and one put there. A message cut short loses the copy at the end.
  [[nodiscard]] std::uint64_t digestIn(const plumbline_buffer &buffer) const {
    return mix(wordAt(buffer.data, 0), wordAt(buffer.data, bytes_ - sizeof(std::uint64_t)));
  }
  void putDigest(std::uint64_t digest, const plumbline_buffer &buffer) const {
    auto *const data = static_cast<std::byte *>(buffer.data);
    std::memcpy(data, &digest, sizeof digest);
    std::memcpy(data + bytes_ - sizeof digest, &digest, sizeof digest);
  }
  [[nodiscard]] std::uint64_t digestOfData(const plumbline_buffer &buffer) const;
  [[nodiscard]] std::uint64_t placeOf(const plumbline_pass &pass) const;

  int require(const plumbline_pass &pass, std::initializer_list<Needed> more) const;
  void differentiate(const plumbline_pass &pass) const;
  static void accumulate(const plumbline_pass &pass);

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
  plumbline_extent weights_ = {lanes, PLUMBLINE_F32};
};

plumbline_stage_sizes Synthetic::sizes() const {
  plumbline_stage_sizes sizes = {};
  sizes.input = {bytes_, PLUMBLINE_BYTE};
  sizes.output = isLast() ? plumbline_extent{1, PLUMBLINE_F32} : sizes.input;
  sizes.stash = {stashBytes_, PLUMBLINE_BYTE};
  sizes.parameters = weights_;
  sizes.gradients = weights_;
  return sizes;
}

std::uint64_t Synthetic::digestOfData(const plumbline_buffer &buffer) const {
  std::uint64_t digest = bytes_;
  for (std::uint64_t at = 0; at + sizeof(std::uint64_t) <= std::min(bytes_, mostHashed); at += sizeof(std::uint64_t))
    digest = mix(digest, wordAt(buffer.data, at));
  return digest;
}

// What distinguishes this pass from every other: where in the pipeline, which microbatch, with which weights.
std::uint64_t Synthetic::placeOf(const plumbline_pass &pass) const {
  std::uint64_t place = mix(static_cast<std::uint64_t>(stage_), static_cast<std::uint64_t>(pass.microbatch));
  for (std::uint64_t at = 0; at < lanes * sizeof(float); at += sizeof(std::uint64_t))
    place = mix(place, wordAt(pass.parameters.data, at));
  return place;
}

int Synthetic::require(const plumbline_pass &pass, std::initializer_list<Needed> more) const {
  const int failed = requireBuffers(
      name_.c_str(), {{"stash", pass.stash, {stashBytes_, PLUMBLINE_BYTE}}, {"parameters", pass.parameters, weights_}},
      pass.message, pass.message_size);
  return failed != 0 ? failed : requireBuffers(name_.c_str(), more, pass.message, pass.message_size);
}

int Synthetic::forward(const plumbline_pass &pass) const {
  const Deadline deadline(forwardTime_);
  const plumbline_stage_sizes needed = sizes();
  if (require(pass, {{"input", pass.input, needed.input}, {"output", pass.output, needed.output}}) != 0)
    return 1;
  const std::uint64_t input = isFirst() ? digestOfData(pass.input) : digestIn(pass.input);
  const Stash stash = {.input = input, .output = mix(placeOf(pass), input)};
  std::memcpy(pass.stash.data, &stash, sizeof stash);
  if (isLast()) // the upper 24 bits, as a fraction: exact
    *static_cast<float *>(pass.output.data) = static_cast<float>(stash.output >> 40) * 0x1p-24F;
  else
    putDigest(stash.output, pass.output);
  deadline.wait();
  return 0;
}

// The gradient's digest, from that behind the stage and from what the forward pass saw.
void Synthetic::differentiate(const plumbline_pass &pass) const {
  Stash stash;
  std::memcpy(&stash, pass.stash.data, sizeof stash);
  std::uint64_t behind = 0;
  if (isLast())
    std::memcpy(&behind, &pass.scale, sizeof pass.scale);
  else
    behind = digestIn(pass.output_gradient);
  stash.gradient = mix(mix(placeOf(pass), behind), mix(stash.input, stash.output));
  std::memcpy(pass.stash.data, &stash, sizeof stash);
  if (pass.input_gradient.data)
    putDigest(stash.gradient, pass.input_gradient);
}

void Synthetic::accumulate(const plumbline_pass &pass) {
  auto *const gradients = static_cast<float *>(pass.gradients.data);
  const std::uint64_t digest = wordAt(pass.stash.data, offsetof(Stash, gradient));
  for (std::uint64_t lane = 0; lane < lanes; ++lane)
    gradients[lane] += static_cast<float>(digest >> (8 * lane) & 0xffU);
}

int Synthetic::backwardInput(const plumbline_pass &pass) const {
  const Deadline deadline(inputTime_);
  const plumbline_extent bytes = {bytes_, PLUMBLINE_BYTE};
  const plumbline_extent nothing = {};
  if (require(pass, {{"output gradient", pass.output_gradient, isLast() ? nothing : bytes},
                     {"input gradient", pass.input_gradient, pass.input_gradient.data ? bytes : nothing}}) != 0)
    return 1;
  differentiate(pass);
  deadline.wait();
  return 0;
}

int Synthetic::backwardWeight(const plumbline_pass &pass) const {
  const Deadline deadline(weightTime_);
  if (require(pass, {{"gradients", pass.gradients, weights_}}) != 0)
    return 1;
  accumulate(pass);
  deadline.wait();
  return 0;
}

int Synthetic::backward(const plumbline_pass &pass) const {
  const Deadline deadline(backwardTime_);
  const plumbline_extent bytes = {bytes_, PLUMBLINE_BYTE};
  const plumbline_extent nothing = {};
  if (require(pass, {{"output gradient", pass.output_gradient, isLast() ? nothing : bytes},
                     {"input gradient", pass.input_gradient, pass.input_gradient.data ? bytes : nothing},
                     {"gradients", pass.gradients, weights_}}) != 0)
    return 1;
  differentiate(pass);
  accumulate(pass);
  deadline.wait();
  return 0;
}

int Synthetic::initialize(const plumbline_update &update) const {
  if (requireBuffers(name_.c_str(), {{"parameters", update.parameters, weights_}}, update.message,
                     update.message_size) != 0)
    return 1;
  for (std::uint64_t lane = 0; lane < lanes; ++lane)
    static_cast<float *>(update.parameters.data)[lane] =
        operations::normalNumber(seed_, static_cast<std::uint64_t>(stage_), lane);
  return 0;
}

int Synthetic::optimizerStep(const plumbline_update &update) const {
  const Deadline deadline(updateTime_);
  if (requireBuffers(name_.c_str(),
                     {{"parameters before the update", update.from, weights_},
                      {"parameters", update.parameters, weights_},
                      {"gradients", update.gradients, weights_}},
                     update.message, update.message_size) != 0)
    return 1;
  for (std::uint64_t lane = 0; lane < lanes; ++lane)
    static_cast<float *>(update.parameters.data)[lane] =
        static_cast<const float *>(update.from.data)[lane] -
        update.learning_rate * static_cast<const float *>(update.gradients.data)[lane];
  deadline.wait();
  return 0;
}

int createSynthetic(const plumbline_stage_request *request, void **stage, plumbline_stage_sizes *sizes, char *message,
                    std::size_t messageSize) {
  if (requireStage("synthetic", *request, message, messageSize) != 0)
    return 1;
  Options given;
  if (const std::string wrong = given.read(options, request->options ? request->options : ""); !wrong.empty())
    return fail(message, messageSize, "synthetic: " + wrong);
  if (request->device >= 0)
    return fail(message, messageSize,
                "synthetic: these stages work in host memory; got device " + std::to_string(request->device));
  auto synthetic = std::make_unique<Synthetic>(*request, given);
  *sizes = synthetic->sizes();
  *stage = synthetic.release();
  return 0;
}

const Synthetic &syntheticOf(void *stage) { return *static_cast<const Synthetic *>(stage); }

} // namespace

llvm::ArrayRef<Option> syntheticOptions() { return options; }

const plumbline_stage_functions syntheticFunctions = {
    .interface_version = PLUMBLINE_STAGE_INTERFACE,
    .name = "synthetic",
    .create = createSynthetic,
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
