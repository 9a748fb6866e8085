#include "schedules/families.h"
#include "schedules/testing/checks.h"

#include "gtest/gtest.h"

namespace plumbline::schedules {
namespace {

using namespace testing;

TEST(ZeroBubbleH2, IsSoundAndAsThePaperSays) {
  Sweep sweep;
  sweep.mostMicrobatches = 7; // beyond 21S/4, where every stage holds as much as it ever will
  expectSound(zeroBubbleH2, sweep);
}

TEST(ZeroBubbleH2, IsSoundForAnyTimes) {
  for (const char *words : {"cost_f=1049 cost_i=1122 cost_w=903 cost_comm=79", "cost_w=1", "cost_i=1 cost_comm=5000",
                            "cost_f=1", "cost_f=2000 cost_i=1 cost_w=700", "cost_comm=1000000"}) {
    Sweep sweep;
    sweep.ranks = {1, 2, 4, 5};
    sweep.words = words;
    expectSound(zeroBubbleH2, sweep);
  }
}

TEST(ZeroBubbleH2, IsWhatTheFrameworkPrints) {
  expectCorpusOrder(zeroBubbleH2, "stages=2 microbatches=4", "zero-bubble/zb-h2_2rank_2stage_4mb.csv");
  expectCorpusOrder(zeroBubbleH2, "stages=4 microbatches=8", "zero-bubble/zb-h2_4rank_4stage_8mb.csv");
}

TEST(ZeroBubbleH2, TakesTheShortestOfItsAttempts) {
  // Worked out apart from the generator: for these times the shortest attempt delays the first input half, puts input
  // halves first and leaves small gaps; for those below it does none of the first two, and fills small gaps.
  expectOrder(zeroBubbleH2, "stages=3 microbatches=4 cost_f=4 cost_i=1 cost_w=6 cost_comm=1",
              {"0F0,0F1,0F2,0F3,0I0,0W0,0I1,0W1,0I2,0W2,0I3,0W3", "1F0,1F1,1F2,1I0,1I1,1F3,1I2,1W0,1I3,1W1,1W2,1W3",
               "2F0,2I0,2F1,2I1,2F2,2I2,2F3,2I3,2W0,2W1,2W2,2W3"});
  expectOrder(zeroBubbleH2, "stages=3 microbatches=8 cost_f=2 cost_i=4 cost_w=1 cost_comm=2",
              {"0F0,0F1,0F2,0F3,0F4,0F5,0I0,0W0,0F6,0I1,0W1,0F7,0I2,0W2,0I3,0W3,0I4,0W4,0I5,0W5,0I6,0W6,0I7,0W7",
               "1F0,1F1,1F2,1F3,1F4,1I0,1F5,1I1,1W0,1W1,1F6,1I2,1W2,1F7,1I3,1I4,1I5,1I6,1W3,1W4,1I7,1W5,1W6,1W7",
               "2F0,2I0,2F1,2I1,2F2,2I2,2F3,2I3,2F4,2I4,2F5,2I5,2F6,2I6,2F7,2I7,2W0,2W1,2W2,2W3,2W4,2W5,2W6,2W7"});
}

TEST(ZeroBubbleH2, WeighsForwardPassesAgainstInputHalves) {
  // Worked out apart from the generator. Stage 0 would idle most of all if it waited for 0I1 before 0F3.
  expectOrder(zeroBubbleH2, "stages=2 microbatches=4 cost_f=2 cost_i=1 cost_w=4",
              {"0F0,0F1,0F2,0I0,0F3,0W0,0I1,0W1,0I2,0W2,0I3,0W3", "1F0,1I0,1F1,1I1,1F2,1I2,1F3,1I3,1W0,1W1,1W2,1W3"});
  // Two input halves come first, as a forward pass would need room of two weight halves.
  expectOrder(zeroBubbleH2, "stages=3 microbatches=9 cost_f=1 cost_i=2 cost_w=1",
              {"0F0,0F1,0F2,0F3,0F4,0F5,0I0,0W0,0F6,0I1,0I2,0F7,0I3,0W1,0F8,0W2,0W3,0I4,0W4,0I5,0W5,0I6,0W6,0I7,0W7,"
               "0I8,0W8",
               "1F0,1F1,1F2,1F3,1I0,1F4,1I1,1F5,1I2,1F6,1I3,1F7,1I4,1W0,1I5,1F8,1I6,1W1,1I7,1W2,1I8,1W3,1W4,1W5,1W6,"
               "1W7,1W8",
               "2F0,2I0,2F1,2I1,2F2,2I2,2F3,2I3,2F4,2I4,2F5,2I5,2F6,2I6,2F7,2I7,2F8,2I8,2W0,2W1,2W2,2W3,2W4,2W5,2W6,"
               "2W7,2W8"});
}

TEST(ZeroBubbleH2, HoldsWhatThePaperSaysFromEnoughMicrobatchesOn) {
  // Table 2: 2p - 1, and no idle time.
  const Request request = requestOf(zeroBubbleH2, "stages=4 microbatches=7");
  for (std::int32_t rank = 0; rank < 4; ++rank)
    EXPECT_EQ(zeroBubbleH2.inFlight(request, rank), 7);
  EXPECT_EQ(zeroBubbleH2.bubbleTime(request), 0);
}

TEST(ZeroBubbleH2, SaysNothingOfUnevenTimesOrOnTheWay) {
  const Request uneven = requestOf(zeroBubbleH2, "stages=4 microbatches=8 cost_w=999");
  EXPECT_FALSE(zeroBubbleH2.inFlight(uneven, 0));
  EXPECT_FALSE(zeroBubbleH2.bubbleTime(uneven));
  EXPECT_TRUE(zeroBubbleH2.inFlight(requestOf(zeroBubbleH2, "stages=4 microbatches=9"), 0));
  EXPECT_FALSE(zeroBubbleH2.inFlight(requestOf(zeroBubbleH2, "stages=4 microbatches=10"), 0));
  EXPECT_TRUE(zeroBubbleH2.inFlight(requestOf(zeroBubbleH2, "stages=4 microbatches=21"), 0));
}

} // namespace
} // namespace plumbline::schedules
