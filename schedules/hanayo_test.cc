#include "schedules/families.h"
#include "schedules/testing/checks.h"

#include "gtest/gtest.h"

namespace plumbline::schedules {
namespace {

using namespace testing;

TEST(Hanayo, IsSoundAndAsItsFormulasSay) { expectSound(hanayo, {.chunks = {2, 4, 6}, .words = ""}); }

// By hand: the passes that travel down and those that travel up in turns, those downwards R - r ahead.
TEST(Hanayo, HasOneWave) {
  expectOrder(hanayo, "ranks=2 stages=4 microbatches=2",
              {"0F0,0F1,3F0,3B0,3F1,3B1,0B0,0B1", "1F0,2F0,1F1,2F1,2B0,1B0,2B1,1B1"});
  expectOrder(hanayo, "ranks=4 stages=8 microbatches=4",
              {"0F0,0F1,0F2,0F3,7F0,7B0,7F1,7B1,7F2,7B2,7F3,7B3,0B0,0B1,0B2,0B3",
               "1F0,1F1,1F2,6F0,1F3,6F1,6B0,6F2,6B1,6F3,6B2,1B0,6B3,1B1,1B2,1B3",
               "2F0,2F1,5F0,2F2,5F1,2F3,5F2,5B0,5F3,5B1,2B0,5B2,2B1,5B3,2B2,2B3",
               "3F0,4F0,3F1,4F1,3F2,4F2,3F3,4F3,4B0,3B0,4B1,3B1,4B2,3B2,4B3,3B3"});
}

TEST(Hanayo, HasTwoWaves) {
  expectOrder(hanayo, "ranks=2 stages=8 microbatches=2",
              {"0F0,0F1,3F0,4F0,3F1,4F1,7F0,7B0,7F1,7B1,4B0,3B0,4B1,3B1,0B0,0B1",
               "1F0,2F0,1F1,2F1,5F0,6F0,5F1,6F1,6B0,5B0,6B1,5B1,2B0,1B0,2B1,1B1"});
}

TEST(Hanayo, RunsAnotherUnitAmongTheLastPassesOfTheOneBefore) {
  expectOrder(hanayo, "ranks=2 stages=4 microbatches=3",
              {"0F0,0F1,3F0,3B0,3F1,3B1,0B0,0F2,0B1,3F2,3B2,0B2", "1F0,2F0,1F1,2F1,2B0,1B0,2B1,1B1,1F2,2F2,2B2,1B2"});
}

TEST(Hanayo, RunsFewerMicrobatchesThanRanks) {
  expectOrder(hanayo, "ranks=3 stages=6 microbatches=1", {"0F0,5F0,5B0,0B0", "1F0,4F0,4B0,1B0", "2F0,3F0,3B0,2B0"});
}

TEST(Hanayo, RefusesHalfAWave) {
  EXPECT_EQ(refusalOf(hanayo, "ranks=4 stages=4 microbatches=4"),
            "needs an even number of stages on each rank; got 4 stages on 4 ranks");
  EXPECT_EQ(refusalOf(hanayo, "ranks=4 stages=12 microbatches=4"),
            "needs an even number of stages on each rank; got 12 stages on 4 ranks");
}

} // namespace
} // namespace plumbline::schedules
