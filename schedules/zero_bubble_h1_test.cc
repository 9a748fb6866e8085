#include "schedules/families.h"
#include "schedules/testing/checks.h"

#include "gtest/gtest.h"

namespace plumbline::schedules {
namespace {

using namespace testing;

TEST(ZeroBubbleH1, IsSoundAndAsThePaperSays) { expectSound(zeroBubbleH1, {}); }

TEST(ZeroBubbleH1, IsSoundForAnyTimes) {
  for (const char *words : {"cost_f=1049 cost_i=1122 cost_w=903 cost_comm=79", "cost_w=1", "cost_i=1 cost_comm=5000",
                            "cost_f=1", "cost_f=2000 cost_i=1 cost_w=700", "cost_comm=1000000"}) {
    Sweep sweep;
    sweep.ranks = {1, 2, 4, 5};
    sweep.words = words;
    expectSound(zeroBubbleH1, sweep);
  }
}

TEST(ZeroBubbleH1, IsWhatTheFrameworkPrints) {
  expectCorpusOrder(zeroBubbleH1, "stages=2 microbatches=4", "zero-bubble/zb-h1_2rank_2stage_4mb.csv");
  expectCorpusOrder(zeroBubbleH1, "stages=4 microbatches=8", "zero-bubble/zb-h1_4rank_4stage_8mb.csv");
  expectCorpusOrder(zeroBubbleH1, "stages=4 microbatches=12 cost_f=1049 cost_i=1122 cost_w=903 cost_comm=79",
                    "zero-bubble/zb-h1-uneven_4rank_4stage_12mb.csv");
}

TEST(ZeroBubbleH1, FillsTheGapsOfFewMicrobatches) {
  // Times: 2F0 2, 2I0 3, 2F1 4, 2I1 5; so 1I0 4, and 1W0 fits before 1I1 at 6; and 0I0 5.
  expectOrder(zeroBubbleH1, "stages=3 microbatches=2",
              {"0F0,0F1,0I0,0W0,0I1,0W1", "1F0,1F1,1I0,1W0,1I1,1W1", "2F0,2I0,2F1,2I1,2W0,2W1"});
}

TEST(ZeroBubbleH1, TakesTheShortestOfItsAttempts) {
  // For these times the shortest one delays the first input half, and neither puts input halves first nor fills small
  // gaps. Worked out apart from the generator.
  expectOrder(zeroBubbleH1, "stages=4 microbatches=4 cost_f=6 cost_i=1 cost_w=4 cost_comm=2",
              {"0F0,0F1,0F2,0F3,0I0,0W0,0I1,0W1,0I2,0W2,0I3,0W3", "1F0,1F1,1F2,1F3,1I0,1W0,1I1,1W1,1I2,1W2,1I3,1W3",
               "2F0,2F1,2F2,2I0,2F3,2I1,2W0,2I2,2W1,2I3,2W2,2W3", "3F0,3I0,3F1,3I1,3F2,3I2,3F3,3I3,3W0,3W1,3W2,3W3"});
}

TEST(ZeroBubbleH1, SaysNothingOfUnevenTimes) {
  for (const char *words : {"cost_f=999", "cost_i=999", "cost_w=999", "cost_comm=1"}) {
    const Request request = requestOf(zeroBubbleH1, std::string("stages=4 microbatches=8 ") + words);
    EXPECT_FALSE(zeroBubbleH1.inFlight(request, 0)) << words;
    EXPECT_FALSE(zeroBubbleH1.bubbleTime(request)) << words;
  }
  EXPECT_TRUE(zeroBubbleH1.bubbleTime(requestOf(zeroBubbleH1, "stages=4 microbatches=8 cost_f=7 cost_i=7 cost_w=7")));
}

TEST(ZeroBubbleH1, RefusesTimesOutOfRange) {
  EXPECT_EQ(refusalOf(zeroBubbleH1, "stages=4 microbatches=8 cost_f=0"),
            "option cost_f is a number from 1 to 1000000; got '0'");
}

} // namespace
} // namespace plumbline::schedules
