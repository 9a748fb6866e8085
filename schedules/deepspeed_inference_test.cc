#include "schedules/families.h"
#include "schedules/testing/checks.h"
#include "tests/corpus/corpus.h"
#include "verifier/backend/deepspeed_print.h"

#include "gtest/gtest.h"

namespace plumbline::schedules {
namespace {

using namespace testing;

TEST(DeepSpeedInference, IsSound) { expectSound(deepspeedInference, {}); }

TEST(DeepSpeedInference, PrintsDeepSpeedsListsByteByByte) {
  for (const auto &[stages, microbatches] : {std::pair(2, 4), std::pair(4, 2), std::pair(4, 8), std::pair(8, 32)}) {
    const std::string s = std::to_string(stages), m = std::to_string(microbatches);
    const Request request = requestOf(deepspeedInference, "stages=" + s + " microbatches=" + m);
    const Result<std::string> text = backend::toDeepSpeedText(generate(deepspeedInference, request));
    ASSERT_TRUE(text);
    EXPECT_EQ(*text, plumbline::testing::contentOf("tests/corpus/deepspeed/fixed/InferenceSchedule_" + s + "stage_" +
                                                   m + "mb.txt"));
  }
}

TEST(DeepSpeedInference, HasNoRecompute) {
  EXPECT_NE(refusalOf(deepspeedInference, "stages=2 microbatches=2 recompute=yes").find("has no option 'recompute'"),
            std::string::npos);
}

} // namespace
} // namespace plumbline::schedules
