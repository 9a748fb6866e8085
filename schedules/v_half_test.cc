#include "schedules/families.h"
#include "schedules/testing/checks.h"

#include "gtest/gtest.h"

namespace plumbline::schedules {
namespace {

using namespace testing;

TEST(VHalf, IsSoundAndAsThePaperSays) {
  expectSound(vHalf, {.chunks = {2}, .words = ""});
  expectSound(vHalf, {.ranks = {7, 9, 10, 16}, .chunks = {2}, .words = "", .mostMicrobatches = 2});
}

TEST(VHalf, IsWhatTheFrameworkPrints) {
  expectCorpusOrder(vHalf, "stages=4 microbatches=4", "zero-bubble/zbv-half_2rank_4stage_4mb.csv");
  expectCorpusOrder(vHalf, "stages=8 microbatches=8", "zero-bubble/zbv-half_4rank_8stage_8mb.csv");
}

TEST(VHalf, HasAnOrderForFewMicrobatches) {
  expectOrder(vHalf, "ranks=2 microbatches=2",
              {"0F0,0F1,3F0,3I0,3W0,3F1,0I0,3I1,3W1,0W0,0I1,0W1", "1F0,2F0,1F1,2F1,2I0,2W0,1I0,1W0,2I1,2W1,1I1,1W1"});
}

TEST(VHalf, TurnsBackAtOnceOnAnOddNumberOfRanks) {
  expectOrder(vHalf, "ranks=3 microbatches=4",
              {"0F0,0F1,0F2,5F0,5I0,5W0,5F1,5I1,5W1,0I0,0W0,0F3,5F2,5I2,5W2,0I1,0W1,5F3,5I3,0I2,5W3,0W2,0I3,0W3",
               "1F0,1F1,4F0,4F1,4I0,4W0,1F2,1I0,4I1,4W1,4F2,1W0,1F3,1I1,4I2,4W2,4F3,1W1,1I2,4I3,4W3,1W2,1I3,1W3",
               "2F0,3F0,2F1,3F1,3I0,3W0,2I0,2W0,2F2,3F2,3I1,2I1,3W1,2F3,2W1,3F3,3I2,2I2,3W2,2W2,3I3,2I3,3W3,2W3"});
}

TEST(VHalf, HoldsHalfOfWhatOneForwardOneBackwardHolds) {
  // 16 microbatches on the first of 16 ranks there; here 9, in chunks of half a rank.
  EXPECT_EQ(vHalf.inFlight(requestOf(vHalf, "ranks=16 microbatches=64"), 0), 18);
  // Before the first backward pass gets through, whatever there is.
  EXPECT_EQ(vHalf.inFlight(requestOf(vHalf, "ranks=16 microbatches=5"), 0), 6);
  EXPECT_EQ(vHalf.inFlight(requestOf(vHalf, "ranks=16 microbatches=5"), 15), 10);
}

TEST(VHalf, RefusesOtherShapes) {
  EXPECT_EQ(refusalOf(vHalf, "ranks=2 stages=8 microbatches=4"),
            "needs two stages on each rank; got 8 stages on 2 ranks");
  EXPECT_EQ(refusalOf(vHalf, "ranks=513 microbatches=4"), "needs at most 512 ranks; got 513");
}

} // namespace
} // namespace plumbline::schedules
