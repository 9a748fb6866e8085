// Runs of the cuda backend on the stand-in, and what they are compared with.
#pragma once

#include "runtime/cuda/cuda_backend.h"
#include "runtime/cuda/standin/standin.h"
#include "runtime/data/text_source.h"
#include "tests/runtime/programs.h"
#include "tests/runtime/reference.h"

#include <memory>
#include <string>

namespace plumbline::runtime::cuda::testing {

using runtime::testing::Sized;

inline constexpr std::uint64_t seed = 7;
inline constexpr const char *smallModel = "width=8,layers=1,context=4,batch=2,vocabulary=128";

// A stage of the device's, by name and options.
StageMaker deviceStage(const char *name = "mlp", const char *options = smallModel);
const DataSource &someText();

// A backend with what it needs.
struct Runner {
  std::unique_ptr<RunPlan> plan;
  std::unique_ptr<Backend> backend;
};
// Error: what makeCudaBackend says. `sized` must outlive it.
Result<Runner> makeRunner(const Sized &sized, const StageMaker &maker, std::int32_t copies,
                          const CudaSettings &settings);

// Why a step did not finish, for messages.
std::string reasonOf(const StepResult &result);

// One step of training without an update, and with the family's gradients left as they are, against the reference
// process: loss and gradients within 1e-5, and to the last bit where gradients are added up in the same order. True if
// they are.
bool equalsOneProcess(const Sized &sized, std::int32_t copies, const CudaSettings &settings, const std::string &what);

// Fails the test if something was not given back.
void expectNothingLeft();

} // namespace plumbline::runtime::cuda::testing
