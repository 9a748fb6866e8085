// One stage object on its rank, with its weights, gradients and optimizer state.
#pragma once

#include "runtime/rank/device.h"
#include "runtime/stage.h"
#include "verifier/ir/diagnostic.h"

#include <memory>
#include <string>
#include <vector>

namespace plumbline::runtime {

// What every stage of a run is made from.
struct StageMaker {
  const plumbline_stage_functions *functions = nullptr;
  std::string options;
  std::uint64_t seed = 0;
};

// In place of the message of a stage that gives none.
inline constexpr const char *saidNothing = "the stage failed and did not say why";

// Owns what `create` made.
class StageObject {
public:
  // Error: the stage's own message. `sizes` is set.
  static Result<std::unique_ptr<StageObject>> make(const StageMaker &maker, std::int32_t position, std::int32_t stages,
                                                   std::int32_t device);
  ~StageObject();
  StageObject(const StageObject &) = delete;
  StageObject &operator=(const StageObject &) = delete;

  [[nodiscard]] const plumbline_stage_functions &functions() const { return *functions_; }
  [[nodiscard]] void *handle() const { return handle_; }
  [[nodiscard]] const plumbline_stage_sizes &sizes() const { return sizes_; }

private:
  StageObject() = default;
  const plumbline_stage_functions *functions_ = nullptr;
  void *handle_ = nullptr;
  plumbline_stage_sizes sizes_{};
};

// The sizes of the stages of a pipeline, by position. Errors: a stage's own message; neighbours that do not fit; sizes
// beyond what memory can be.
Result<std::vector<plumbline_stage_sizes>> sizesOfPipeline(const StageMaker &maker, std::int32_t stages,
                                                           std::int32_t device);

struct StageState {
  std::unique_ptr<StageObject> object;
  std::vector<DeviceMemory> parameters; // versions; the newest is the first between two steps
  DeviceMemory gradients;
  DeviceMemory optimizer;
  std::int64_t updates = 0; // so far
};

} // namespace plumbline::runtime
