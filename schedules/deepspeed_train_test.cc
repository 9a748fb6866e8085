#include "schedules/families.h"
#include "schedules/testing/checks.h"
#include "tests/corpus/corpus.h"
#include "verifier/backend/deepspeed_print.h"

#include "gtest/gtest.h"

namespace plumbline::schedules {
namespace {

using namespace testing;

TEST(DeepSpeedTrain, IsSoundAndAsThePaperSays) {
  for (const char *version : {"version=fixed", "version=old"}) {
    Sweep sweep;
    sweep.words = version;
    expectSound(deepspeedTrain, sweep);
  }
}

TEST(DeepSpeedTrain, PrintsDeepSpeedsListsByteByByte) {
  for (const std::string version : {"fixed", "old"})
    for (const auto &[stages, microbatches] : {std::pair(2, 4), std::pair(4, 2), std::pair(4, 8), std::pair(8, 32)}) {
      const std::string s = std::to_string(stages), m = std::to_string(microbatches);
      const Request request = requestOf(deepspeedTrain, "stages=" + s + " microbatches=" + m + " version=" + version);
      const Result<std::string> text = backend::toDeepSpeedText(generate(deepspeedTrain, request));
      ASSERT_TRUE(text);
      EXPECT_EQ(*text, plumbline::testing::contentOf("tests/corpus/deepspeed/" + version + "/TrainSchedule_" + s +
                                                     "stage_" + m + "mb.txt"));
    }
}

// The grid of steps leaves 1F1B's order.
TEST(DeepSpeedTrain, ComputesInTheOrderOf1F1B) {
  expectCorpusOrder(deepspeedTrain, "stages=4 microbatches=8", "pytorch/1f1b_4rank_4stage_8mb_compute.csv");
  expectCorpusOrder(deepspeedTrain, "stages=4 microbatches=2", "megatron-lm/1f1b_4rank_4stage_2mb.csv");
}

TEST(DeepSpeedTrain, RecomputesWithinTheStepOfTheBackwardPass) {
  expectOrder(deepspeedTrain, "stages=2 microbatches=2 recompute=yes",
              {"0F0,0F1,0R0,0B0,0R1,0B1", "1F0,1R0,1B0,1F1,1R1,1B1"});
}

} // namespace
} // namespace plumbline::schedules
