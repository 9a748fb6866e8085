// Families that update weights within a step: PipeDream-2BW and PipeDream, against a sequential simulation of the rule
// that their papers state.
#include "runtime/data/text_source.h"
#include "runtime/host/host_backend.h"
#include "runtime/stages/stages.h"
#include "schedules/library.h"
#include "tests/runtime/programs.h"
#include "tests/runtime/reference.h"

#include "gtest/gtest.h"

#include <cmath>

namespace plumbline::runtime::testing {
namespace {

constexpr std::uint64_t seed = 11;
constexpr float rate = 0.05F;

StageMaker maker() {
  return {stages::bundledStage("mlp"), "width=8,layers=1,context=4,batch=2,vocabulary=128,optimizer=sgd", seed};
}

// 2BW: batch t is computed with the weights that the update of batch t-2 made, and its gradient is applied to the
// newest: W(t+1) = W(t) - rate * gradient(W(t-1)) (Narayanan et al. 2021, section 3.1), W(-1) being W(0).
std::vector<std::vector<char>> simulate2bw(const DataSource &data, std::int32_t stages, std::int64_t batches,
                                           std::int64_t batch) {
  Reference reference(maker(), stages);
  std::vector<std::vector<char>> older, newest;
  for (std::int32_t s = 0; s < stages; ++s)
    newest.push_back(reference.parameters(s));
  older = newest;
  for (std::int64_t t = 0; t < batches; ++t) {
    for (std::int32_t s = 0; s < stages; ++s)
      reference.setParameters(s, older[static_cast<std::size_t>(s)]);
    reference.run(data, 0, t * batch, (t + 1) * batch, 1.0F / static_cast<float>(batch));
    for (std::int32_t s = 0; s < stages; ++s)
      reference.setParameters(s, newest[static_cast<std::size_t>(s)]);
    reference.update(rate);
    for (std::int32_t s = 0; s < stages; ++s) {
      older[static_cast<std::size_t>(s)] = newest[static_cast<std::size_t>(s)];
      newest[static_cast<std::size_t>(s)] = reference.parameters(s);
    }
  }
  return newest;
}

void expectWeights(const Sized &sized, const DataSource &data, const std::vector<std::vector<char>> &expected,
                   std::int32_t mostVersions) {
  Result<RunPlan> run = planRun(sized.program, maker(), 1, -1);
  ASSERT_TRUE(run.ok()) << run.error().message;
  for (const Versions &versions : run->versions.stages)
    EXPECT_LE(versions.buffers, mostVersions);
  Result<std::unique_ptr<Backend>> backend = makeHostBackend(sized.program, sized.options, *run, data, {.check = true});
  ASSERT_TRUE(backend.ok()) << backend.error().message;
  const StepResult result = (*backend)->step({.step = 0, .learningRate = rate});
  ASSERT_EQ(result.end, End::finished) << result.failure.message;
  for (const StageId stage : (*backend)->stages())
    EXPECT_EQ((*backend)->read(stage, Backend::Part::parameters), expected[static_cast<std::size_t>(stage.value())])
        << "stage " << stage.value() << ", off by "
        << relativeDifference(asFloats((*backend)->read(stage, Backend::Part::parameters)),
                              asFloats(expected[static_cast<std::size_t>(stage.value())]));
}

TEST(PipeDream2bw, TwoVersionsAndTheRuleOfThePaper) {
  const schedules::Family &family = *schedules::findFamily("pipedream_2bw");
  for (const std::int32_t ranks : {1, 2, 4})
    for (const std::int32_t batch : {ranks, ranks + 1, 2 * ranks}) {
      const std::int32_t batches = 5;
      SCOPED_TRACE(std::to_string(ranks) + " ranks, batches of " + std::to_string(batch));
      const std::optional<Sized> sized =
          programOf(family, ranks, batches * batch, schedules::OptionText{"batch", std::to_string(batch)});
      ASSERT_TRUE(sized.has_value());
      const TextSource data("Two versions are enough if a batch is as long as the pipeline. ", seed);
      expectWeights(*sized, data, simulate2bw(data, ranks, batches, batch), 2);
      if (ranks > 1) {
        const Result<VersionPlan> versions = planVersions(sized->program);
        EXPECT_EQ(versions->stages.front().buffers, 2);
      }
    }
}

// PipeDream: stage s computes microbatch m with the weights after max(0, m - (S-1-s)) updates, of which each is made
// from one microbatch; forward and backward passes use the same (Narayanan et al. 2019, weight stashing).
TEST(PipeDream, WeightStashing) {
  const schedules::Family &family = *schedules::findFamily("pipedream");
  for (const std::int32_t ranks : {1, 2, 3, 4}) {
    const std::int32_t microbatches = 7;
    const std::optional<Sized> sized = programOf(family, ranks, microbatches);
    ASSERT_TRUE(sized.has_value());
    const TextSource data("Every microbatch in flight has weights of its own. ", seed);
    Reference reference(maker(), ranks);
    std::vector<std::vector<std::vector<char>>> history(static_cast<std::size_t>(ranks)); // by stage and update
    for (std::int32_t s = 0; s < ranks; ++s)
      history[static_cast<std::size_t>(s)].push_back(reference.parameters(s));
    for (std::int32_t m = 0; m < microbatches; ++m) {
      for (std::int32_t s = 0; s < ranks; ++s)
        reference.setParameters(
            s, history[static_cast<std::size_t>(s)][static_cast<std::size_t>(std::max(0, m - (ranks - 1 - s)))]);
      reference.run(data, 0, m, m + 1, 1);
      for (std::int32_t s = 0; s < ranks; ++s)
        reference.setParameters(s, history[static_cast<std::size_t>(s)].back());
      reference.update(rate);
      for (std::int32_t s = 0; s < ranks; ++s)
        history[static_cast<std::size_t>(s)].push_back(reference.parameters(s));
    }
    std::vector<std::vector<char>> newest;
    newest.reserve(history.size());
    for (const auto &stage : history)
      newest.push_back(stage.back());
    SCOPED_TRACE(std::to_string(ranks) + " ranks");
    expectWeights(*sized, data, newest, ranks + 1);
  }
}

} // namespace
} // namespace plumbline::runtime::testing
