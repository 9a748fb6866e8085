// Carries out the instructions of one rank on its memory: calls the stages, moves what has to be moved.
#pragma once

#include "runtime/memory/binding.h"
#include "runtime/rank/stage_state.h"
#include "runtime/rank/versions.h"

#include <array>
#include <map>

namespace plumbline::runtime {

// What all ranks of a run share. Outlives them.
struct RunPlan {
  const Program *program = nullptr;
  Binding binding;
  VersionPlan versions;
  StageMaker maker;
  std::int32_t copies = 1; // of the whole pipeline, for data parallelism
  plumbline_extent inputOfFirstStage{};
};

// Works out binding and versions for the Program. Errors as of sizesOfPipeline, bindProgram and planVersions; a Program
// that splits backward passes, for a stage that cannot.
Result<RunPlan> planRun(const Program &program, StageMaker maker, std::int32_t copies, std::int32_t device);

class RankWork {
public:
  // Reserves all memory, and initialises the stages of the rank. `plan` and `device` must outlive it. Errors: memory,
  // and the stage's own messages.
  static Result<std::unique_ptr<RankWork>> make(const RunPlan &plan, RankId rank, Device &device, void *stream);

  // Carries out work of the rank itself (of a message: nothing). Empty, or why it failed.
  std::string work(std::uint32_t instruction, float learningRate);
  // After the last instruction: takes over the newest weights, and updates the stages that the Program itself did not
  // update. With `update` false gradients stay as they are, and so do weights.
  std::string finish(float learningRate, bool update);

  [[nodiscard]] void *at(Place place) const { return static_cast<char *>(memory_.data()) + place.offset; }
  [[nodiscard]] Device &device() const { return device_; }
  [[nodiscard]] void *stream() const { return stream_; }
  [[nodiscard]] std::map<StageId, StageState> &stages() { return stages_; }
  [[nodiscard]] RankId rank() const { return rank_; }
  // Bytes that were reserved: the block, and weights, gradients and optimizer states.
  [[nodiscard]] std::uint64_t reservedBytes() const;

private:
  RankWork(const RunPlan &plan, RankId rank, Device &device, void *stream)
      : plan_(plan), rank_(rank), device_(device), stream_(stream) {}

  std::string reserve();
  std::string initialize(StageState &state);
  std::string pass(std::uint32_t instruction);
  std::string forward(const Instruction &i, const BoundPass &bound, StageState &state, plumbline_pass &pass);
  std::string backward(const Instruction &i, const BoundPass &bound, StageState &state, plumbline_pass &pass);
  std::string update(StageState &state, DeviceMemory &from, DeviceMemory &to, float learningRate);
  void load(const Instruction &i, const BoundMessage &load);
  [[nodiscard]] plumbline_pass operands(std::uint32_t instruction, const BoundPass &bound, StageState &state);
  [[nodiscard]] float scaleOf(const Instruction &i) const;
  using Call = int (*)(void *, const plumbline_pass *);
  std::string call(Call function, const StageState &state, plumbline_pass &pass);
  std::string said(); // by a function of a stage that failed

  const RunPlan &plan_;
  RankId rank_;
  Device &device_;
  void *stream_;
  DeviceMemory memory_;
  std::map<StageId, StageState> stages_;
  std::array<char, 512> message_{};
};

} // namespace plumbline::runtime
