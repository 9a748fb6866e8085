// Every family with no more slots than the verifier proves to be enough: verified, and run under the check, it gives
// the same gradients; and no pool ever holds more than was counted.
#include "runtime/data/text_source.h"
#include "runtime/host/host_backend.h"
#include "runtime/stages/stages.h"
#include "schedules/library.h"
#include "tests/runtime/programs.h"
#include "tests/runtime/reference.h"
#include "verifier/check/verify.h"
#include "verifier/lower/reassign_slots.h"

#include "gtest/gtest.h"

namespace plumbline::runtime::testing {
namespace {

class LeastSlots : public ::testing::TestWithParam<const schedules::Family *> {};

std::vector<std::vector<float>> gradientsOf(Backend &backend) {
  std::vector<std::vector<float>> all;
  for (const StageId stage : backend.stages())
    all.push_back(asFloats(backend.read(stage, Backend::Part::gradients)));
  return all;
}

struct Ran {
  std::vector<std::vector<float>> gradients;
  std::vector<std::int32_t> peaks;
};

Ran run(const Sized &sized) {
  const TextSource data("As many places as there are things at a time, and not one more. ", 3);
  Ran ran;
  Result<RunPlan> plan =
      planRun(sized.program,
              {stages::bundledStage("transformer"), "width=8,heads=2,context=4,batch=1,vocabulary=128", 3}, 1, -1);
  Result<std::unique_ptr<Backend>> backend =
      makeHostBackend(sized.program, sized.options, *plan, data, {.check = true});
  EXPECT_TRUE(backend.ok());
  for (const std::int64_t step : {0, 1}) { // what the first one leaves in the slots does the second no harm
    const StepResult result = (*backend)->step({.step = step, .learningRate = 0.01F, .update = step == 0});
    EXPECT_EQ(result.end, End::finished) << result.failure.message;
  }
  ran.gradients = gradientsOf(**backend);
  for (std::size_t p = 0; p < sized.program.pools.size(); ++p)
    ran.peaks.push_back((*backend)->peakSlots(PoolId(static_cast<std::int32_t>(p))));
  return ran;
}

TEST_P(LeastSlots, AreEnough) {
  smt::Session session(1);
  int sizes = 0;
  for (const std::int32_t ranks : {2, 4})
    for (const std::int32_t microbatches : {4, 8, 16}) {
      std::optional<Sized> sized = programOf(*GetParam(), ranks, microbatches);
      if (!sized)
        continue;
      SCOPED_TRACE(std::to_string(ranks) + " ranks, " + std::to_string(microbatches) + " microbatches");
      ++sizes;
      const Ran given = run(*sized);
      check::VerifyOptions options;
      options.model = sized->options;
      const check::Verification first = check::verify(sized->program, options, session);
      ASSERT_EQ(first.verdict, check::Verdict::verified);
      std::vector<std::int32_t> slots(sized->program.accesses.size(), -1);
      for (const check::SlotCount &count : first.slots)
        for (const check::SlotPlace &place : count.places)
          slots[place.access] = place.slot;
      lower::reassignSlots(sized->program, slots);
      ASSERT_EQ(validate(sized->program), "");
      EXPECT_EQ(check::verify(sized->program, options, session).verdict, check::Verdict::verified);
      const Ran least = run(*sized);
      EXPECT_TRUE(least.gradients == given.gradients);
      for (const check::SlotCount &count : first.slots) {
        const auto pool = static_cast<std::size_t>(count.pool.value());
        EXPECT_LE(given.peaks[pool], count.least);
        EXPECT_LE(least.peaks[pool], count.least);
      }
    }
  EXPECT_GT(sizes, 0);
}

INSTANTIATE_TEST_SUITE_P(Library, LeastSlots,
                         ::testing::ValuesIn(schedules::library().begin(), schedules::library().end()),
                         [](const auto &one) { return std::string(one.param->name); });

} // namespace
} // namespace plumbline::runtime::testing
