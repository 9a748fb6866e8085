#include "runtime/stages/model.h"

#include "runtime/stages/calls.h"
#include "runtime/stages/parts.h"
#include "runtime/stages/plan.h"
#include "runtime/stages/settings.h"

#include <cmath>
#include <vector>

namespace plumbline::stages {
namespace {

using operations::Element;
using operations::Operations;

// Which halves of a backward pass to do.
enum class Halves : std::uint8_t { input, weight, both };

// The stage object: a chain of parts, and where the values between them lie in the stash.
class Model {
public:
  Model(Architecture architecture, const Settings &settings, const plumbline_stage_request &request,
        std::unique_ptr<Operations> operations);

  [[nodiscard]] plumbline_stage_sizes sizes() const;
  int forward(const plumbline_pass &pass);
  int backward(const plumbline_pass &pass, Halves halves);
  int initialize(const plumbline_update &update);
  int optimizerStep(const plumbline_update &update);

private:
  void addParts(Architecture architecture);
  void setFirstValues(const plumbline_update &update);

  [[nodiscard]] bool isFirst() const { return stage_ == 0; }
  [[nodiscard]] bool isLast() const { return stage_ == stages_ - 1; }
  [[nodiscard]] Call callOf(const plumbline_pass &pass) const;
  // The reason of a failed operation as the result of a call.
  int finish(char *message, std::size_t size);

  // Of part k: what it reads and writes, and the gradients of these.
  [[nodiscard]] const void *in(const Call &call, const plumbline_pass &pass, std::size_t k) const {
    return k == 0 ? pass.input.data : call.at(values_[k - 1]);
  }
  [[nodiscard]] void *out(const Call &call, const plumbline_pass &pass, std::size_t k) const {
    return k == values_.size() ? pass.output.data : call.at(values_[k]);
  }
  [[nodiscard]] void *inGradient(const Call &call, const plumbline_pass &pass, std::size_t k) const {
    return k == 0 ? pass.input_gradient.data : call.at(valueGradients_[k - 1]);
  }
  [[nodiscard]] const void *outGradient(const Call &call, const plumbline_pass &pass, std::size_t k) const {
    return k == values_.size() ? pass.output_gradient.data : call.at(valueGradients_[k]);
  }

  // The optimizer's buffer: Adam's two moments, then the f32 copy of bf16 parameters.
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(plan_.parameters()); }
  [[nodiscard]] std::int64_t moments() const { return settings_.optimizer == Optimizer::adam ? 2 : 0; }
  [[nodiscard]] std::int64_t masters() const { return settings_.element == Element::bf16 ? 1 : 0; }
  [[nodiscard]] float *masterIn(const plumbline_update &update) const {
    return masters() > 0 ? static_cast<float *>(update.optimizer.data) + moments() * count() : nullptr;
  }

  std::string name_; // for messages
  std::int32_t stage_;
  std::int32_t stages_;
  std::uint64_t seed_;
  Settings settings_;
  std::unique_ptr<Operations> operations_;
  Plan plan_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::vector<Kept> values_; // between one part and the next
  std::vector<Kept> valueGradients_;
  plumbline_stage_sizes sizes_ = {};
};

Model::Model(Architecture architecture, const Settings &settings, const plumbline_stage_request &request,
             std::unique_ptr<Operations> operations)
    : name_(std::string(nameOf(architecture)) + " stage " + std::to_string(request.stage)), stage_(request.stage),
      stages_(request.stages), seed_(request.seed), settings_(settings), operations_(std::move(operations)),
      plan_(settings.dimensions, settings.element) {
  addParts(architecture);
  sizes_ = sizes();
}

void Model::addParts(Architecture architecture) {
  const auto add = [this](std::uint64_t identity, std::unique_ptr<Part> (*make)(Plan &)) {
    plan_.beginPart(identity);
    parts_.push_back(make(plan_));
  };
  constexpr std::uint64_t embedding = 0;
  constexpr std::uint64_t head = 1;
  if (isFirst())
    add(embedding, makeEmbedding);
  for (std::int64_t k = 0; k < settings_.dimensions.layers; ++k) {
    const auto layer = static_cast<std::uint64_t>(stage_ * settings_.dimensions.layers + k);
    if (architecture == Architecture::transformer)
      add(2 + 2 * layer, makeAttention);
    add(3 + 2 * layer, makeMlp);
  }
  if (isLast())
    add(head, makeHead);
  const std::int64_t between = settings_.dimensions.rows() * settings_.dimensions.width;
  for (std::size_t k = 1; k < parts_.size(); ++k) {
    values_.push_back(plan_.keep(between));
    valueGradients_.push_back(plan_.keep(between));
  }
}

plumbline_stage_sizes Model::sizes() const {
  const Dimensions &dimensions = settings_.dimensions;
  const auto rows = static_cast<std::uint64_t>(dimensions.rows());
  const std::int32_t element = settings_.element == Element::f32 ? PLUMBLINE_F32 : PLUMBLINE_BF16;
  const plumbline_extent between = {rows * static_cast<std::uint64_t>(dimensions.width), element};
  plumbline_stage_sizes sizes = {};
  sizes.input = isFirst() ? plumbline_extent{rows, PLUMBLINE_I32} : between;
  sizes.output = isLast() ? plumbline_extent{1, PLUMBLINE_F32} : between;
  sizes.labels = {isLast() ? rows : 0, PLUMBLINE_I32};
  sizes.stash = {plan_.stash(), PLUMBLINE_BYTE};
  sizes.parameters = {plan_.parameters(), element};
  sizes.gradients = {plan_.parameters(), PLUMBLINE_F32};
  sizes.optimizer = {static_cast<std::uint64_t>(moments() + masters()) * plan_.parameters(), PLUMBLINE_F32};
  sizes.workspace = plan_.workspace();
  return sizes;
}

Call Model::callOf(const plumbline_pass &pass) const {
  return {.operations = *operations_,
          .stream = pass.stream,
          .parameters = pass.parameters.data,
          .gradients = static_cast<float *>(pass.gradients.data),
          .stash = pass.stash.data,
          .workspace = pass.workspace.data,
          .labels = static_cast<const std::int32_t *>(pass.labels.data),
          .scale = pass.scale};
}

int Model::finish(char *message, std::size_t size) {
  const char *const failure = operations_->failure();
  if (!failure)
    return 0;
  fail(message, size, name_ + ": " + failure);
  operations_->resetFailure();
  return 1;
}

int Model::forward(const plumbline_pass &pass) {
  if (requireBuffers(name_.c_str(),
                     {{"input", pass.input, sizes_.input},
                      {"output", pass.output, sizes_.output},
                      {"labels", pass.labels, sizes_.labels},
                      {"stash", pass.stash, sizes_.stash},
                      {"parameters", pass.parameters, sizes_.parameters},
                      {"workspace", pass.workspace, {sizes_.workspace, PLUMBLINE_BYTE}}},
                     pass.message, pass.message_size) != 0)
    return 1;
  const Call call = callOf(pass);
  for (std::size_t k = 0; k < parts_.size(); ++k)
    parts_[k]->forward(call, in(call, pass, k), out(call, pass, k));
  return finish(pass.message, pass.message_size);
}

int Model::backward(const plumbline_pass &pass, Halves halves) {
  const bool input = halves != Halves::weight;
  const bool weight = halves != Halves::input;
  const plumbline_extent nothing = {};
  if (requireBuffers(
          name_.c_str(),
          {{"input", pass.input, sizes_.input},
           {"labels", pass.labels, input ? sizes_.labels : nothing},
           {"stash", pass.stash, sizes_.stash},
           {"output gradient", pass.output_gradient, isLast() ? nothing : sizes_.output},
           {"input gradient", pass.input_gradient, input && pass.input_gradient.data ? sizes_.input : nothing},
           {"parameters", pass.parameters, sizes_.parameters},
           {"gradients", pass.gradients, weight ? sizes_.gradients : nothing},
           {"workspace", pass.workspace, {sizes_.workspace, PLUMBLINE_BYTE}}},
          pass.message, pass.message_size) != 0)
    return 1;
  const Call call = callOf(pass);
  // Both halves part by part while values are near. The bits are those of one half after the other: the halves of
  // different parts share nothing but the gradients between them, which stay.
  for (std::size_t k = parts_.size(); k-- > 0;) {
    if (input)
      parts_[k]->backwardInput(call, in(call, pass, k), outGradient(call, pass, k), inGradient(call, pass, k));
    if (weight)
      parts_[k]->backwardWeight(call, in(call, pass, k), outGradient(call, pass, k));
  }
  return finish(pass.message, pass.message_size);
}

int Model::initialize(const plumbline_update &update) {
  if (requireBuffers(name_.c_str(),
                     {{"parameters", update.parameters, sizes_.parameters},
                      {"optimizer state", update.optimizer, sizes_.optimizer}},
                     update.message, update.message_size) != 0)
    return 1;
  setFirstValues(update);
  return finish(update.message, update.message_size);
}

void Model::setFirstValues(const plumbline_update &update) {
  const std::size_t bytesEach = bytesOf(settings_.element);
  auto *const parameters = static_cast<std::byte *>(update.parameters.data);
  // The gaps between tensors are part of what the optimizer walks over.
  operations_->zero(update.stream, sizes_.parameters.count * bytesEach, parameters);
  for (const FirstValue &first : plan_.firstValues()) {
    void *const data = parameters + static_cast<std::size_t>(first.parameter.offset) * bytesEach;
    if (first.deviation > 0)
      operations_->fillNormal(update.stream, first.parameter.count, seed_, first.identity, first.deviation, data);
    else
      operations_->fill(update.stream, first.parameter.count, first.constant, data);
  }
  if (sizes_.optimizer.count > 0)
    operations_->zero(update.stream, sizes_.optimizer.count * sizeof(float), update.optimizer.data);
  if (float *const master = masterIn(update))
    operations_->widen(update.stream, count(), parameters, master);
}

int Model::optimizerStep(const plumbline_update &update) {
  if (requireBuffers(name_.c_str(),
                     {{"parameters before the update", update.from, sizes_.parameters},
                      {"parameters", update.parameters, sizes_.parameters},
                      {"gradients", update.gradients, sizes_.gradients},
                      {"optimizer state", update.optimizer, sizes_.optimizer}},
                     update.message, update.message_size) != 0)
    return 1;
  const operations::ParameterStep parameters = {.count = count(),
                                                .from = update.from.data,
                                                .gradient = static_cast<const float *>(update.gradients.data),
                                                .master = masterIn(update),
                                                .to = update.parameters.data};
  if (settings_.optimizer == Optimizer::sgd) {
    operations_->descend(update.stream, update.learning_rate, parameters);
  } else {
    operations::bodies::AdamStep step = {.rate = update.learning_rate, .decay = settings_.weightDecay};
    const auto number = static_cast<double>(update.step) + 1;
    step.firstCorrection = static_cast<float>(1 / (1 - std::pow(static_cast<double>(step.firstMoment), number)));
    step.secondCorrection = static_cast<float>(1 / (1 - std::pow(static_cast<double>(step.secondMoment), number)));
    auto *const first = static_cast<float *>(update.optimizer.data);
    operations_->adam(update.stream, step, parameters, first, first + count());
  }
  return finish(update.message, update.message_size);
}

Model &modelOf(void *stage) { return *static_cast<Model *>(stage); }

// The name of the largest buffer, if it is larger than any machine's memory.
const char *tooLarge(const plumbline_stage_sizes &sizes) {
  constexpr std::uint64_t most = std::uint64_t{1} << 46;
  if (sizes.stash.count > most)
    return "stash";
  if (sizes.parameters.count > most / sizeof(float))
    return "parameters";
  return sizes.workspace > most ? "workspace" : nullptr;
}

} // namespace

int createModel(Architecture architecture, OperationsFactory factory, const plumbline_stage_request *request,
                void **stage, plumbline_stage_sizes *sizes, char *message, std::size_t messageSize) {
  const std::string name = nameOf(architecture);
  if (requireStage(name.c_str(), *request, message, messageSize) != 0)
    return 1;
  Settings settings;
  if (const std::string wrong = readSettings(architecture, *request, settings); !wrong.empty())
    return fail(message, messageSize, name + ": " + wrong);
  std::string whyNot;
  std::unique_ptr<Operations> operations = factory(request->device, settings.element, whyNot);
  if (!operations)
    return fail(message, messageSize, name + ": " + whyNot);
  auto model = std::make_unique<Model>(architecture, settings, *request, std::move(operations));
  if (const char *const buffer = tooLarge(model->sizes()))
    return fail(message, messageSize,
                name + ": the options width, layers, context, batch and vocabulary ask for more than 64 TiB of " +
                    buffer + " in a stage");
  *sizes = model->sizes();
  *stage = model.release();
  return 0;
}

const plumbline_stage_functions modelPasses = {
    .interface_version = PLUMBLINE_STAGE_INTERFACE,
    .name = nullptr,
    .create = nullptr,
    .destroy = [](void *stage) { delete static_cast<Model *>(stage); },
    .initialize = [](void *stage, const plumbline_update *update) { return modelOf(stage).initialize(*update); },
    .forward = [](void *stage, const plumbline_pass *pass) { return modelOf(stage).forward(*pass); },
    .backward = [](void *stage, const plumbline_pass *pass) { return modelOf(stage).backward(*pass, Halves::both); },
    .backward_input = [](void *stage,
                         const plumbline_pass *pass) { return modelOf(stage).backward(*pass, Halves::input); },
    .backward_weight = [](void *stage,
                          const plumbline_pass *pass) { return modelOf(stage).backward(*pass, Halves::weight); },
    .optimizer_step = [](void *stage, const plumbline_update *update) { return modelOf(stage).optimizerStep(*update); },
};

} // namespace plumbline::stages
