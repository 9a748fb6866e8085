#include "schedules/families.h"
#include "schedules/testing/checks.h"

#include "gtest/gtest.h"

namespace plumbline::schedules {
namespace {

using namespace testing;

TEST(ForwardOnly, IsSoundAndWaitsAsItsFormulaSays) { expectSound(forwardOnly, {.chunks = {1, 2, 3, 4}, .words = ""}); }

TEST(ForwardOnly, IsAPlainPipelineWithOneStageOnEachRank) {
  expectCorpusOrder(forwardOnly, "stages=4 ranks=4 microbatches=6", "nnscaler/infer-pipe_4rank_4stage_6mb.csv");
}

// By hand: groups of R, the last one with what is left.
TEST(ForwardOnly, RunsGroupsThroughSeveralStagesOfARank) {
  expectOrder(forwardOnly, "stages=4 ranks=2 microbatches=5",
              {"0F0,0F1,2F0,2F1,0F2,0F3,2F2,2F3,0F4,2F4", "1F0,1F1,3F0,3F1,1F2,1F3,3F2,3F3,1F4,3F4"});
  expectOrder(forwardOnly, "stages=9 ranks=3 microbatches=2",
              {"0F0,0F1,3F0,3F1,6F0,6F1", "1F0,1F1,4F0,4F1,7F0,7F1", "2F0,2F1,5F0,5F1,8F0,8F1"});
}

TEST(ForwardOnly, IsForInference) {
  EXPECT_EQ(generate(forwardOnly, requestOf(forwardOnly, "stages=2 ranks=2 microbatches=1")).mode, Mode::inference);
  EXPECT_EQ(refusalOf(forwardOnly, "stages=2 ranks=2 microbatches=1 recompute=yes"),
            "has no option 'recompute'; it has none");
}

TEST(ForwardOnly, RefusesStagesThatDoNotFitTheRanks) {
  EXPECT_EQ(refusalOf(forwardOnly, "stages=5 ranks=2 microbatches=4"),
            "needs a number of stages that is divisible by the number of ranks; got 5 stages on 2 ranks");
}

} // namespace
} // namespace plumbline::schedules
