#include "schedules/families.h"
#include "schedules/testing/checks.h"

#include "gtest/gtest.h"

namespace plumbline::schedules {
namespace {

using namespace testing;

TEST(LoopedBreadthFirst, IsSoundAndAsThePaperSays) {
  for (const char *backward : {"backward=reversed", "backward=in_order"})
    expectSound(loopedBreadthFirst, {.chunks = {1, 2, 3, 4}, .words = backward});
}

TEST(LoopedBreadthFirst, IsWhatPyTorchPrints) {
  expectCorpusOrder(loopedBreadthFirst, "ranks=2 stages=4 microbatches=4",
                    "pytorch/loopedbfs_2rank_4stage_4mb_compute.csv");
  expectCorpusOrder(loopedBreadthFirst, "ranks=4 stages=8 microbatches=8",
                    "pytorch/loopedbfs_4rank_8stage_8mb_compute.csv");
}

TEST(LoopedBreadthFirst, RunsBackwardPassesInOrderAsThePaper) {
  expectOrder(loopedBreadthFirst, "ranks=2 stages=4 microbatches=3 backward=in_order",
              {"0F0,0F1,0F2,2F0,2F1,2F2,2B0,2B1,2B2,0B0,0B1,0B2", "1F0,1F1,1F2,3F0,3F1,3F2,3B0,3B1,3B2,1B0,1B1,1B2"});
}

TEST(LoopedBreadthFirst, RefusesStagesThatDoNotFitTheRanks) {
  EXPECT_EQ(refusalOf(loopedBreadthFirst, "ranks=4 stages=6 microbatches=8"),
            "needs a number of stages that is divisible by the number of ranks; got 6 stages on 4 ranks");
}

} // namespace
} // namespace plumbline::schedules
