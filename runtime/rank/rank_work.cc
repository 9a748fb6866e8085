#include "runtime/rank/rank_work.h"

#include "llvm/ADT/STLExtras.h"

namespace plumbline::runtime {
namespace {

plumbline_buffer bufferOf(const DeviceMemory &memory, const plumbline_extent &extent) {
  return {memory.data(), memory.data() ? extent.count : 0};
}

std::string positionName(const Program &program, StageId stage) {
  return "stage " + std::to_string(stage.value() % program.stagesPerReplica);
}

} // namespace

Result<RunPlan> planRun(const Program &program, StageMaker maker, std::int32_t copies, std::int32_t device) {
  Result<std::vector<plumbline_stage_sizes>> sizes = sizesOfPipeline(maker, program.stagesPerReplica, device);
  if (!sizes)
    return sizes.error();
  const bool splits = llvm::any_of(program.instructions, [](const Instruction &i) {
    return i.opcode == Opcode::backward_input || i.opcode == Opcode::backward_weight;
  });
  if (splits && !maker.functions->backward_input)
    return Diagnostic{maker.functions->name, 0, 0,
                      "cannot split its backward pass into an input and a weight half, which this schedule does"};
  Result<Binding> binding = bindProgram(program, *sizes);
  if (!binding)
    return binding.error();
  Result<VersionPlan> versions = planVersions(program);
  if (!versions)
    return versions.error();
  return RunPlan{&program, std::move(*binding), std::move(*versions), std::move(maker), copies, sizes->front().input};
}

Result<std::unique_ptr<RankWork>> RankWork::make(const RunPlan &plan, RankId rank, Device &device, void *stream) {
  std::unique_ptr<RankWork> work(new RankWork(plan, rank, device, stream));
  if (std::string wrong = work->reserve(); !wrong.empty())
    return Diagnostic{"rank " + std::to_string(rank.value()), 0, 0, wrong};
  return work;
}

std::string RankWork::reserve() {
  const Program &program = *plan_.program;
  const RankMemory &memory = plan_.binding.ranks[static_cast<std::size_t>(rank_.value())];
  memory_ = DeviceMemory(device_, memory.bytes);
  bool missing = memory_.missing();
  for (std::int32_t s = 0; s < program.stageCount() && !missing; ++s) {
    if (program.stages[static_cast<std::size_t>(s)].rank != rank_)
      continue;
    Result<std::unique_ptr<StageObject>> object =
        StageObject::make(plan_.maker, s % program.stagesPerReplica, program.stagesPerReplica, device_.number());
    if (!object)
      return object.error().message;
    StageState state;
    state.object = std::move(*object);
    const plumbline_stage_sizes &sizes = state.object->sizes();
    for (std::int32_t b = 0; b < plan_.versions.stages[static_cast<std::size_t>(s)].buffers; ++b)
      missing |= state.parameters.emplace_back(device_, bytesOf(sizes.parameters)).missing();
    state.gradients = DeviceMemory(device_, bytesOf(sizes.gradients));
    state.optimizer = DeviceMemory(device_, bytesOf(sizes.optimizer));
    missing |= state.gradients.missing() || state.optimizer.missing();
    if (missing)
      break;
    if (std::string wrong = initialize(state); !wrong.empty())
      return positionName(program, StageId(s)) + ": " + wrong;
    stages_.emplace(StageId(s), std::move(state));
  }
  return missing ? "there is not enough memory: " + std::to_string(memory.bytes) +
                       " bytes for slots and scratch, and the weights, gradients and optimizer states of its stages"
                 : "";
}

std::uint64_t RankWork::reservedBytes() const {
  std::uint64_t bytes = memory_.bytes();
  for (const auto &[stage, state] : stages_) {
    bytes += state.gradients.bytes() + state.optimizer.bytes();
    for (const DeviceMemory &version : state.parameters)
      bytes += version.bytes();
  }
  return bytes;
}

std::string RankWork::initialize(StageState &state) {
  const plumbline_stage_sizes &sizes = state.object->sizes();
  plumbline_update update{};
  update.stream = stream_;
  update.parameters = bufferOf(state.parameters.front(), sizes.parameters);
  update.optimizer = bufferOf(state.optimizer, sizes.optimizer);
  const RankMemory &memory = plan_.binding.ranks[static_cast<std::size_t>(rank_.value())];
  update.workspace = {at(memory.workspacePlace), memory.workspace};
  update.message = message_.data();
  update.message_size = message_.size();
  message_.front() = 0;
  return state.object->functions().initialize(state.object->handle(), &update) == 0 ? ""
                                                                                    : "initialising failed: " + said();
}

std::string RankWork::work(std::uint32_t instruction, float learningRate) {
  const Program &program = *plan_.program;
  const Instruction &i = program.instructions[instruction];
  switch (i.opcode) {
  case Opcode::forward:
  case Opcode::recompute:
  case Opcode::backward:
  case Opcode::backward_input:
  case Opcode::backward_weight:
    return pass(instruction);
  case Opcode::load_microbatch:
    load(i, *plan_.binding.message(instruction));
    return "";
  case Opcode::optimizer_step: {
    if (!i.microbatch.valid())
      return ""; // at the end of the step: see finish()
    StageState &state = stages_.at(i.stage);
    const VersionUse use = plan_.versions.uses[instruction];
    return update(state, state.parameters[static_cast<std::size_t>(use.from)],
                  state.parameters[static_cast<std::size_t>(use.to)], learningRate);
  }
  default:
    return ""; // versions are known beforehand; reductions come after the step
  }
}

// The gradient of the mean loss over the microbatches of one update.
float RankWork::scaleOf(const Instruction &i) const {
  const Program &program = *plan_.program;
  const std::int32_t sharers =
      plan_.versions
          .sharers[static_cast<std::size_t>(i.stage.value()) * static_cast<std::size_t>(program.microbatches) +
                   static_cast<std::size_t>(i.microbatch.value())];
  const std::int64_t all = sharers > 0 ? sharers : std::int64_t(program.microbatches) * program.replicas;
  return 1.0F / static_cast<float>(all * plan_.copies);
}

plumbline_pass RankWork::operands(std::uint32_t instruction, const BoundPass &bound, StageState &state) {
  const Instruction &i = plan_.program->instructions[instruction];
  const plumbline_stage_sizes &sizes = state.object->sizes();
  const auto buffer = [&](Place place, const plumbline_extent &extent) {
    return place.valid() && extent.count > 0 ? plumbline_buffer{at(place), extent.count} : plumbline_buffer{nullptr, 0};
  };
  plumbline_pass pass{};
  pass.microbatch = i.microbatch.value();
  pass.stream = stream_;
  pass.scale = scaleOf(i);
  pass.input = buffer(bound.input, sizes.input);
  pass.output = buffer(bound.output, sizes.output);
  pass.labels = buffer(bound.labels, sizes.labels);
  pass.stash = buffer(bound.stash, sizes.stash);
  pass.output_gradient = buffer(bound.outputGradient, sizes.output);
  pass.input_gradient = buffer(bound.inputGradient, sizes.input);
  const VersionUse use = plan_.versions.uses[instruction];
  pass.parameters = bufferOf(state.parameters[static_cast<std::size_t>(use.from)], sizes.parameters);
  pass.gradients = bufferOf(state.gradients, sizes.gradients);
  const RankMemory &memory = plan_.binding.ranks[static_cast<std::size_t>(rank_.value())];
  pass.workspace = {at(memory.workspacePlace), memory.workspace};
  pass.message = message_.data();
  pass.message_size = message_.size();
  return pass;
}

std::string RankWork::call(Call function, const StageState &state, plumbline_pass &pass) {
  message_.front() = 0;
  return function(state.object->handle(), &pass) == 0 ? "" : said();
}

std::string RankWork::said() {
  message_.back() = 0;
  return message_.front() ? message_.data() : saidNothing;
}

std::string RankWork::pass(std::uint32_t instruction) {
  const Instruction &i = plan_.program->instructions[instruction];
  const BoundPass &bound = *plan_.binding.pass(instruction);
  StageState &state = stages_.at(i.stage);
  plumbline_pass pass = operands(instruction, bound, state);
  return isBackward(i.opcode) ? backward(i, bound, state, pass) : forward(i, bound, state, pass);
}

std::string RankWork::forward(const Instruction &i, const BoundPass &bound, StageState &state, plumbline_pass &pass) {
  if (std::string wrong = call(state.object->functions().forward, state, pass); !wrong.empty())
    return wrong;
  if (i.opcode != Opcode::forward)
    return "";
  for (const Place place : {bound.loss, bound.lossSlot})
    if (place.valid())
      device_.copy(at(place), pass.output.data, sizeof(float), stream_);
  return "";
}

std::string RankWork::backward(const Instruction &i, const BoundPass &bound, StageState &state, plumbline_pass &pass) {
  const plumbline_stage_functions &f = state.object->functions();
  if (bound.rebuilds) {
    if (std::string wrong = call(f.forward, state, pass); !wrong.empty())
      return wrong;
    // The weight half needs what the input half leaves in the stash.
    if (i.opcode == Opcode::backward_weight)
      if (std::string wrong = call(f.backward_input, state, pass); !wrong.empty())
        return wrong;
  }
  const Call half = i.opcode == Opcode::backward         ? f.backward
                    : i.opcode == Opcode::backward_input ? f.backward_input
                                                         : f.backward_weight;
  if (std::string wrong = call(half, state, pass); !wrong.empty())
    return wrong;
  if (bound.moveInputGradientTo.valid() && i.opcode != Opcode::backward_weight)
    device_.copy(at(bound.moveInputGradientTo), pass.input_gradient.data, bytesOf(state.object->sizes().input),
                 stream_);
  return "";
}

void RankWork::load(const Instruction &i, const BoundMessage &load) {
  const BatchMemory &batch = plan_.binding.batches[static_cast<std::size_t>(i.stage.value())];
  const plumbline_stage_sizes &sizes = stages_.at(i.stage).object->sizes();
  const auto m = static_cast<std::uint64_t>(i.microbatch.value());
  if (load.place.valid() && batch.inputs.valid())
    device_.copy(at(load.place), at({batch.inputs.offset + m * batch.inputBytes}), bytesOf(sizes.input), stream_);
  if (load.labels.valid() && batch.labels.valid() && sizes.labels.count > 0)
    device_.copy(at(load.labels), at({batch.labels.offset + m * batch.labelBytes}), bytesOf(sizes.labels), stream_);
}

std::string RankWork::update(StageState &state, DeviceMemory &from, DeviceMemory &to, float learningRate) {
  const plumbline_stage_sizes &sizes = state.object->sizes();
  plumbline_update update{};
  update.stream = stream_;
  update.step = state.updates++;
  update.learning_rate = learningRate;
  update.from = bufferOf(from, sizes.parameters);
  update.parameters = bufferOf(to, sizes.parameters);
  update.gradients = bufferOf(state.gradients, sizes.gradients);
  update.optimizer = bufferOf(state.optimizer, sizes.optimizer);
  const RankMemory &memory = plan_.binding.ranks[static_cast<std::size_t>(rank_.value())];
  update.workspace = {at(memory.workspacePlace), memory.workspace};
  update.message = message_.data();
  update.message_size = message_.size();
  message_.front() = 0;
  if (state.object->functions().optimizer_step(state.object->handle(), &update) != 0)
    return "the optimizer step failed: " + said();
  if (state.gradients.data())
    device_.fill(state.gradients.data(), 0, state.gradients.bytes(), stream_);
  return "";
}

std::string RankWork::finish(float learningRate, bool updates) {
  const Program &program = *plan_.program;
  for (auto &[stage, state] : stages_) {
    const Versions &versions = plan_.versions.stages[static_cast<std::size_t>(stage.value())];
    if (versions.updates > 0) {
      std::swap(state.parameters.front(), state.parameters[static_cast<std::size_t>(versions.newest)]);
      continue;
    }
    if (!updates || program.mode != Mode::training)
      continue;
    DeviceMemory &newest = state.parameters.front();
    if (std::string wrong = update(state, newest, newest, learningRate); !wrong.empty())
      return positionName(program, stage) + ": " + wrong;
  }
  return "";
}

} // namespace plumbline::runtime
