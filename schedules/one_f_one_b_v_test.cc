#include "schedules/families.h"
#include "schedules/testing/checks.h"

#include "gtest/gtest.h"

namespace plumbline::schedules {
namespace {

using namespace testing;

TEST(OneForwardOneBackwardV, IsSoundAndAsItsFormulasSay) {
  expectSound(oneForwardOneBackwardV, {.chunks = {2}, .words = ""});
  expectSound(oneForwardOneBackwardV,
              {.ranks = {7, 9, 10, 11, 12, 15}, .chunks = {2}, .words = "", .mostMicrobatches = 3});
}

TEST(OneForwardOneBackwardV, IsWhatTheFrameworkPrints) {
  expectCorpusOrder(oneForwardOneBackwardV, "stages=4 microbatches=4", "zero-bubble/1f1bv_2rank_4stage_4mb.csv");
  expectCorpusOrder(oneForwardOneBackwardV, "stages=8 microbatches=8", "zero-bubble/1f1bv_4rank_8stage_8mb.csv");
}

TEST(OneForwardOneBackwardV, WaitsBeforeTheWayBackOnThreeRanks) {
  expectOrder(oneForwardOneBackwardV, "ranks=1 microbatches=2", {"0F0,1F0,1B0,0B0,0F1,1F1,1B1,0B1"});
  expectOrder(oneForwardOneBackwardV, "ranks=3 microbatches=4",
              {"0F0,0F1,0F2,0F3,5F0,5B0,5F1,5B1,5F2,5B2,5F3,0B0,5B3,0B1,0B2,0B3",
               "1F0,1F1,1F2,4F0,1F3,4F1,4B0,4F2,4B1,1B0,4F3,4B2,1B1,4B3,1B2,1B3",
               "2F0,3F0,2F1,3F1,2F2,3F2,3B0,2B0,2F3,3F3,3B1,2B1,3B2,2B2,3B3,2B3"});
}

TEST(OneForwardOneBackwardV, HoldsTwoThirdsOfWhatOneForwardOneBackwardHolds) {
  // 12 microbatches on the first of 12 ranks there; here 9, in chunks of half a rank.
  EXPECT_EQ(oneForwardOneBackwardV.inFlight(requestOf(oneForwardOneBackwardV, "ranks=12 microbatches=48"), 0), 18);
}

TEST(OneForwardOneBackwardV, SaysNothingOfTheBubbleBetweenItsTwoFormulas) {
  const auto bubble = [](const char *words) {
    return oneForwardOneBackwardV.bubbleTime(requestOf(oneForwardOneBackwardV, words));
  };
  EXPECT_EQ(bubble("ranks=12 microbatches=18"), 51);
  EXPECT_FALSE(bubble("ranks=12 microbatches=19"));
  EXPECT_FALSE(bubble("ranks=12 microbatches=23"));
  EXPECT_EQ(bubble("ranks=12 microbatches=24"), 52);
}

TEST(OneForwardOneBackwardV, RefusesOtherShapes) {
  EXPECT_EQ(refusalOf(oneForwardOneBackwardV, "ranks=2 stages=8 microbatches=4"),
            "needs two stages on each rank; got 8 stages on 2 ranks");
  EXPECT_EQ(refusalOf(oneForwardOneBackwardV, "ranks=513 microbatches=4"), "needs at most 512 ranks; got 513");
}

} // namespace
} // namespace plumbline::schedules
