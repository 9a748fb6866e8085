#include "schedules/families.h"
#include "schedules/testing/checks.h"

#include "gtest/gtest.h"

namespace plumbline::schedules {
namespace {

using namespace testing;

TEST(GroupInterleavedZeroBubble, IsSoundAndAsItsFormsSay) {
  for (const std::int32_t group : {0, 1, 2, 3, 4, 5, 6, 7, 8}) {
    Sweep sweep;
    sweep.ranks = group == 0 ? std::vector<std::int32_t>{1, 2, 3, 4, 6, 8} : std::vector<std::int32_t>{};
    for (const std::int32_t ranks : {1, 2, 3, 4, 6, 7, 8})
      if (group >= (ranks + 1) / 2 && group <= ranks)
        sweep.ranks.push_back(ranks);
    sweep.chunks = {1, 2, 3, 4};
    sweep.mostMicrobatches = 3;
    sweep.words = "group=" + std::to_string(group);
    expectSound(groupInterleavedZeroBubble, sweep);
  }
}

TEST(GroupInterleavedZeroBubble, IsWhatTheFrameworkPrints) {
  expectCorpusOrder(groupInterleavedZeroBubble, "ranks=2 microbatches=4 group=1",
                    "zero-bubble/group-interleaved-1f1b-g1_2rank_4stage_4mb.csv");
  expectCorpusOrder(groupInterleavedZeroBubble, "ranks=4 microbatches=8 group=2",
                    "zero-bubble/group-interleaved-1f1b-g2_4rank_8stage_8mb.csv");
  expectCorpusOrder(groupInterleavedZeroBubble, "ranks=4 microbatches=8 group=4",
                    "zero-bubble/group-interleaved-1f1b-g4_4rank_8stage_8mb.csv");
}

TEST(GroupInterleavedZeroBubble, TakesHalfOfTheRanksIfNothingIsSaid) {
  expectCorpusOrder(groupInterleavedZeroBubble, "ranks=4 microbatches=8",
                    "zero-bubble/group-interleaved-1f1b-g2_4rank_8stage_8mb.csv");
}

TEST(GroupInterleavedZeroBubble, LeavesPlacesOfTheLastGroupEmpty) {
  // Microbatch 3 is not there, nor are the places in which it would run: so 0F2 stands where it stands with four.
  expectOrder(groupInterleavedZeroBubble, "ranks=2 microbatches=3 group=2",
              {"0F0,0F1,2F0,2F1,2I0,2W0,0F2,2I1,2W1,0I0,0W0,2F2,0I1,0W1,2I2,2W2,0I2,0W2",
               "1F0,1F1,3F0,3I0,3W0,3F1,3I1,3W1,1F2,1I0,1W0,1I1,1W1,3F2,3I2,3W2,1I2,1W2"});
}

TEST(GroupInterleavedZeroBubble, SaysNothingWhereGapsMeet) {
  const auto bubble = [](llvm::StringRef words) {
    return groupInterleavedZeroBubble.bubbleTime(requestOf(groupInterleavedZeroBubble, words));
  };
  EXPECT_FALSE(bubble("ranks=6 stages=18 microbatches=4 group=3"));
  EXPECT_TRUE(bubble("ranks=6 stages=18 microbatches=5 group=4"));
  EXPECT_TRUE(bubble("ranks=6 stages=12 microbatches=4 group=3"));
  EXPECT_TRUE(bubble("ranks=6 stages=18 microbatches=2 group=3"));
  EXPECT_TRUE(bubble("ranks=6 stages=18 microbatches=9 group=3"));
}

TEST(GroupInterleavedZeroBubble, RefusesGroupsOutOfRange) {
  EXPECT_EQ(refusalOf(groupInterleavedZeroBubble, "ranks=4 microbatches=8 group=1"),
            "needs groups of half of the ranks to all of them (2 to 4 microbatches); got 1");
  EXPECT_EQ(refusalOf(groupInterleavedZeroBubble, "ranks=4 microbatches=8 group=5"),
            "needs groups of half of the ranks to all of them (2 to 4 microbatches); got 5");
  EXPECT_EQ(refusalOf(groupInterleavedZeroBubble, "ranks=3 microbatches=8 group=2"), "");
}

} // namespace
} // namespace plumbline::schedules
