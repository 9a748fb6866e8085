#include "schedules/families.h"
#include "schedules/testing/checks.h"

#include "gtest/gtest.h"

namespace plumbline::schedules {
namespace {

using namespace testing;

TEST(InterleavedZeroBubble, IsSoundAndAsItsFormsSay) {
  Sweep sweep;
  sweep.chunks = {1, 2, 3, 4};
  expectSound(interleavedZeroBubble, sweep);
}

TEST(InterleavedZeroBubble, IsWhatTheFrameworkPrints) {
  expectCorpusOrder(interleavedZeroBubble, "ranks=2 microbatches=4",
                    "pytorch/interleavedzerobubble_2rank_4stage_4mb_compute.csv");
  expectCorpusOrder(interleavedZeroBubble, "ranks=4 microbatches=8",
                    "pytorch/interleavedzerobubble_4rank_8stage_8mb_compute.csv");
}

TEST(InterleavedZeroBubble, TakesGroupsLargerThanTheRanks) {
  // Three microbatches on two ranks are one round of three.
  expectOrder(interleavedZeroBubble, "ranks=2 microbatches=3",
              {"0F0,0F1,0F2,2F0,2F1,2I0,2W0,2F2,2I1,2W1,2I2,2W2,0I0,0W0,0I1,0W1,0I2,0W2",
               "1F0,1F1,1F2,3F0,3I0,3F1,3I1,3W0,3F2,3I2,3W1,1I0,3W2,1I1,1W0,1I2,1W1,1W2"});
}

TEST(InterleavedZeroBubble, RunsWithFewerMicrobatchesThanRanks) {
  expectOrder(interleavedZeroBubble, "ranks=3 microbatches=1",
              {"0F0,3F0,3I0,3W0,0I0,0W0", "1F0,4F0,4I0,1I0,4W0,1W0", "2F0,5F0,5I0,2I0,5W0,2W0"});
}

TEST(InterleavedZeroBubble, RefusesUnevenRounds) {
  EXPECT_EQ(refusalOf(interleavedZeroBubble, "ranks=2 microbatches=5"),
            "needs a number of microbatches that is divisible by the number of rounds, microbatches / ranks rounded "
            "down (2); got 5");
  EXPECT_EQ(refusalOf(interleavedZeroBubble, "ranks=4 microbatches=10"), "");
}

} // namespace
} // namespace plumbline::schedules
