#include "schedules/families.h"
#include "schedules/testing/checks.h"

#include "gtest/gtest.h"

namespace plumbline::schedules {
namespace {

using namespace testing;

TEST(VMin, IsSoundAndAsThePaperSays) {
  expectSound(vMin, {.chunks = {2}, .words = ""});
  expectSound(vMin, {.ranks = {7, 9, 10, 11, 16}, .chunks = {2}, .words = "", .mostMicrobatches = 2});
}

// One rank has one order. Two and four turn back at once, three wait for two slots.
TEST(VMin, RepeatsItsBuildingBlock) {
  expectOrder(vMin, "ranks=1 microbatches=2", {"0F0,1F0,1I0,0I0,1W0,0W0,0F1,1F1,1I1,0I1,1W1,0W1"});
  expectOrder(vMin, "ranks=2 microbatches=3",
              {"0F0,0F1,3F0,3I0,3W0,0I0,0W0,3F1,3I1,3W1,0F2,0I1,0W1,3F2,3I2,3W2,0I2,0W2",
               "1F0,2F0,2I0,1I0,1F1,2F1,2W0,1W0,2I1,1I1,1F2,2F2,2W1,1W1,2I2,1I2,2W2,1W2"});
  expectOrder(vMin, "ranks=3 microbatches=5",
              {"0F0,0F1,0F2,5F0,5I0,5W0,5F1,0I0,5I1,5W1,0W0,5F2,0F3,0I1,5I2,"
               "5W2,0W1,5F3,0F4,0I2,5I3,5W3,0W2,5F4,5I4,0I3,5W4,0W3,0I4,0W4",
               "1F0,1F1,4F0,4F1,4I0,4W0,1I0,1F2,1W0,4I1,4F2,4W1,1I1,1F3,1W1,"
               "4I2,4F3,4W2,1I2,1F4,1W2,4I3,4F4,4W3,1I3,4I4,4W4,1W3,1I4,1W4",
               "2F0,3F0,2F1,3F1,3I0,2I0,3W0,2W0,2F2,3F2,3I1,2I1,3W1,2W1,2F3,"
               "3F3,3I2,2I2,3W2,2W2,2F4,3F4,3I3,2I3,3W3,2W3,3I4,2I4,3W4,2W4"});
  expectOrder(vMin, "ranks=4 microbatches=5",
              {"0F0,0F1,0F2,7F0,7I0,7W0,7F1,7I1,7W1,0I0,0W0,0F3,7F2,7I2,0I1,7W2,0W1,0F4,7F3,7I3,"
               "0I2,7W3,0W2,7F4,7I4,0I3,7W4,0W3,0I4,0W4",
               "1F0,1F1,6F0,6F1,6I0,6W0,1F2,1I0,6I1,6W1,1W0,6F2,1F3,1I1,6I2,6W2,1W1,6F3,1F4,1I2,"
               "6I3,6W3,1W2,6F4,1I3,6I4,6W4,1W3,1I4,1W4",
               "2F0,2F1,5F0,5F1,5I0,5W0,2F2,2I0,2W0,5I1,5F2,5W1,2I1,2F3,2W1,5I2,5F3,5W2,2I2,2F4,"
               "2W2,5I3,5F4,5W3,2I3,2W3,5I4,5W4,2I4,2W4",
               "3F0,4F0,3F1,4F1,4I0,3I0,4W0,3W0,3F2,4F2,4I1,3I1,4W1,3W1,3F3,4F3,4I2,3I2,4W2,3W2,"
               "3F4,4F4,4I3,3I3,4W3,3W3,4I4,3I4,4W4,3W4"});
}

TEST(VMin, HoldsAThirdOfWhatOneForwardOneBackwardHolds) {
  // 12 microbatches on the first of 12 ranks there; here 5, in chunks of half a rank.
  EXPECT_EQ(vMin.inFlight(requestOf(vMin, "ranks=12 microbatches=48"), 0), 10);
  EXPECT_EQ(vMin.inFlight(requestOf(vMin, "ranks=11 microbatches=48"), 0), 9);
  EXPECT_EQ(vMin.inFlight(requestOf(vMin, "ranks=11 microbatches=48"), 1), 10);
  EXPECT_FALSE(vMin.inFlight(requestOf(vMin, "ranks=11 microbatches=10"), 1));
}

TEST(VMin, RefusesOtherShapes) {
  EXPECT_EQ(refusalOf(vMin, "ranks=2 stages=8 microbatches=4"),
            "needs two stages on each rank; got 8 stages on 2 ranks");
  EXPECT_EQ(refusalOf(vMin, "ranks=513 microbatches=4"), "needs at most 512 ranks; got 513");
}

} // namespace
} // namespace plumbline::schedules
