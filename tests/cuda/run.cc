#include "tests/cuda/run.h"

#include "runtime/cuda/environment.h"
#include "runtime/cuda/stages.h"

#include "gtest/gtest.h"

#include <cmath>

namespace plumbline::runtime::cuda::testing {

using runtime::testing::asFloats;
using runtime::testing::inOrder;
using runtime::testing::Reference;
using runtime::testing::relativeDifference;

[[maybe_unused]] static const bool environmentIsSet = (setEnvironment(), true);

StageMaker deviceStage(const char *name, const char *options) { return {cudaStage(name), options, seed}; }

const DataSource &someText() {
  static const TextSource data("What was proved of a schedule is what the streams of a device do. ", seed);
  return data;
}

Result<Runner> makeRunner(const Sized &sized, const StageMaker &maker, std::int32_t copies,
                          const CudaSettings &settings) {
  Result<RunPlan> plan = planRun(sized.program, maker, copies, 0);
  if (!plan)
    return plan.error();
  Runner run;
  run.plan = std::make_unique<RunPlan>(std::move(*plan));
  Result<std::unique_ptr<Backend>> backend =
      makeCudaBackend(sized.program, sized.options, *run.plan, someText(), settings);
  if (!backend)
    return backend.error();
  run.backend = std::move(*backend);
  return run;
}

std::string reasonOf(const StepResult &result) {
  std::string text = result.failure.message;
  if (result.failure.instruction != UINT32_MAX)
    text += " at instruction " + std::to_string(result.failure.instruction);
  for (const std::string &line : result.stuck)
    text += "\n" + line;
  return text;
}

bool equalsOneProcess(const Sized &sized, std::int32_t copies, const CudaSettings &settings, const std::string &what) {
  const Program &program = sized.program;
  const StageMaker maker = deviceStage();
  const Result<Runner> run = makeRunner(sized, maker, copies, settings);
  if (!run) {
    ADD_FAILURE() << what << ": " << run.error().message;
    return false;
  }
  Backend &backend = *run->backend;
  const StepResult result = backend.step({.step = 3, .learningRate = 0, .update = false});
  if (result.end != End::finished) {
    ADD_FAILURE() << what << ": " << reasonOf(result);
    return false;
  }
  const std::int64_t samples = std::int64_t(program.microbatches) * program.replicas * copies;
  Reference reference(maker, program.stagesPerReplica);
  const double loss =
      reference.run(someText(), 3, 0, samples, 1.0F / static_cast<float>(samples)) / static_cast<double>(samples);
  EXPECT_NEAR(result.loss, loss, 1e-5 * std::fabs(loss)) << what;
  if (program.mode != Mode::training)
    return true;
  const bool exact = program.replicas == 1 && copies == 1 && inOrder(program);
  bool equal = true;
  for (const StageId stage : backend.stages()) {
    const std::vector<float> own = asFloats(backend.read(stage, Backend::Part::gradients));
    const std::vector<float> expected = reference.gradients(stage.value() % program.stagesPerReplica);
    const double difference = relativeDifference(own, expected);
    EXPECT_LE(difference, exact ? 0 : 1e-5) << what << ", stage " << stage.value();
    equal &= own == expected;
  }
  return equal;
}

void expectNothingLeft() {
  const standin::Left left = standin::left();
  EXPECT_EQ(left, standin::Left()) << left.allocations << " allocations, " << left.pinned << " pinned, " << left.streams
                                   << " streams, " << left.events << " events, " << left.handles << " handles, "
                                   << left.communicators << " communicators";
}

} // namespace plumbline::runtime::cuda::testing
