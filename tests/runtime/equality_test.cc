// Every family, run on the host, gives the loss and the gradients of a single process that knows nothing of schedules:
// to the last bit where gradients are added up in the same order, else within 1e-6.
#include "runtime/data/text_source.h"
#include "runtime/host/host_backend.h"
#include "runtime/stages/stages.h"
#include "schedules/library.h"
#include "tests/runtime/programs.h"
#include "tests/runtime/reference.h"

#include "gtest/gtest.h"

#include <cmath>
#include <iostream>

namespace plumbline::runtime::testing {
namespace {

constexpr std::uint64_t seed = 7;
constexpr const char *text = "It is the nature of a schedule that whoever reads it believes it. ";

StageMaker makerOf(const char *stage, const char *options) { return {stages::bundledStage(stage), options, seed}; }

struct Counts {
  int runs = 0, bitwise = 0;
};

// One training step without an update, against the reference.
void compare(const Sized &sized, const StageMaker &maker, const std::string &what, Counts &counts) {
  const Program &program = sized.program;
  const TextSource data(text, seed);
  Result<RunPlan> run = planRun(program, maker, 1, -1);
  ASSERT_TRUE(run.ok()) << what << ": " << run.error().message;
  Result<std::unique_ptr<Backend>> backend = makeHostBackend(program, sized.options, *run, data, {.check = true});
  ASSERT_TRUE(backend.ok()) << what << ": " << backend.error().message;
  const StepResult result = (*backend)->step({.step = 3, .learningRate = 0, .update = false});
  ASSERT_EQ(result.end, End::finished) << what << ": " << result.failure.message
                                       << (result.stuck.empty() ? "" : result.stuck.front());

  const std::int64_t samples = std::int64_t(program.microbatches) * program.replicas;
  Reference reference(maker, program.stagesPerReplica);
  const double loss =
      reference.run(data, 3, 0, samples, 1.0F / static_cast<float>(samples)) / static_cast<double>(samples);
  EXPECT_NEAR(result.loss, loss, 1e-6 * std::fabs(loss)) << what;
  ++counts.runs;
  if (program.mode != Mode::training)
    return;
  const bool exact = program.replicas == 1 && inOrder(program);
  for (const StageId stage : (*backend)->stages()) {
    const std::vector<float> own = asFloats((*backend)->read(stage, Backend::Part::gradients));
    const std::vector<float> expected = reference.gradients(stage.value() % program.stagesPerReplica);
    if (exact)
      EXPECT_TRUE(own == expected) << what << ", stage " << stage.value() << ": off by "
                                   << relativeDifference(own, expected);
    else
      EXPECT_LE(relativeDifference(own, expected), 1e-6) << what << ", stage " << stage.value();
  }
  counts.bitwise += exact ? 1 : 0;
}

bool updatesWithin(const Program &program) {
  return std::any_of(program.instructions.begin(), program.instructions.end(),
                     [](const Instruction &i) { return i.opcode == Opcode::optimizer_step && i.microbatch.valid(); });
}

class EveryFamily : public ::testing::TestWithParam<const schedules::Family *> {};

TEST_P(EveryFamily, EqualsOneProcess) {
  Counts counts;
  for (const std::int32_t ranks : {1, 2, 4, 8})
    for (const std::int32_t microbatches : {1, 2, 4, 8, 16, 24})
      if (const std::optional<Sized> sized = programOf(*GetParam(), ranks, microbatches);
          sized && !updatesWithin(sized->program))
        compare(*sized, makerOf("mlp", "width=8,layers=1,context=4,batch=2,vocabulary=128"),
                std::string(GetParam()->name) + ", " + std::to_string(ranks) + " ranks, " +
                    std::to_string(microbatches) + " microbatches",
                counts);
  // Activations thrown away and made again change nothing.
  const schedules::OptionText recompute{"recompute", "yes"};
  for (const std::int32_t ranks : {1, 2, 4})
    for (const std::int32_t microbatches : {2, 8})
      if (const std::optional<Sized> sized = programOf(*GetParam(), ranks, microbatches, recompute);
          sized && !updatesWithin(sized->program))
        compare(*sized, makerOf("transformer", "width=8,layers=1,heads=2,context=4,batch=1,vocabulary=128"),
                std::string(GetParam()->name) + " with recompute, " + std::to_string(ranks) + " ranks, " +
                    std::to_string(microbatches) + " microbatches",
                counts);
  std::cout << GetParam()->name << ": " << counts.runs << " sizes, " << counts.bitwise << " of them to the last bit\n";
}

INSTANTIATE_TEST_SUITE_P(Library, EveryFamily,
                         ::testing::ValuesIn(schedules::library().begin(), schedules::library().end()),
                         [](const auto &one) { return std::string(one.param->name); });

} // namespace
} // namespace plumbline::runtime::testing
