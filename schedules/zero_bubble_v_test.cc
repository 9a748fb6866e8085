#include "schedules/families.h"
#include "schedules/family/timing.h"
#include "schedules/testing/checks.h"

#include "gtest/gtest.h"

#include <string>

namespace plumbline::schedules {
namespace {

using namespace testing;

Sweep sweepOf(const std::string &words) {
  return {.ranks = {1, 2, 3, 4, 5, 6, 8, 11}, .chunks = {2}, .words = words, .mostMicrobatches = 3};
}

TEST(ZeroBubbleV, IsSoundAndAsThePaperSays) {
  for (const char *words : {"order=zero-bubble", "order=pytorch"})
    expectSound(zeroBubbleV, sweepOf(words));
}

TEST(ZeroBubbleV, IsSoundForAnyCosts) {
  for (const char *words :
       {"cost_f=1049 cost_i=1122 cost_w=903 cost_comm=79", "cost_f=1 cost_i=1 cost_w=1000 cost_comm=0",
        "cost_f=1000 cost_i=1 cost_w=1", "cost_f=7 cost_i=900 cost_w=30 cost_comm=5000"})
    expectSound(zeroBubbleV, sweepOf(words));
}

TEST(ZeroBubbleV, IsWhatTheFrameworksPrint) {
  expectCorpusOrder(zeroBubbleV, "stages=4 microbatches=4", "zero-bubble/zbv_2rank_4stage_4mb.csv");
  expectCorpusOrder(zeroBubbleV, "stages=8 microbatches=8", "zero-bubble/zbv_4rank_8stage_8mb.csv");
  expectCorpusOrder(zeroBubbleV, "stages=8 microbatches=12 cost_f=1049 cost_i=1122 cost_w=903 cost_comm=79",
                    "zero-bubble/zbv-uneven_4rank_8stage_12mb.csv");
  expectCorpusOrder(zeroBubbleV, "stages=4 microbatches=4 order=pytorch",
                    "pytorch/zbvzerobubble_2rank_4stage_4mb_compute.csv");
  expectCorpusOrder(zeroBubbleV, "stages=8 microbatches=8 order=pytorch",
                    "pytorch/zbvzerobubble_4rank_8stage_8mb_compute.csv");
}

TEST(ZeroBubbleV, HasNoMoreInTheWarmUpThanThereAreMicrobatches) {
  expectOrder(zeroBubbleV, "ranks=2 microbatches=1", {"0F0,3F0,3I0,3W0,0I0,0W0", "1F0,2F0,2I0,1I0,2W0,1W0"});
  expectOrder(zeroBubbleV, "ranks=3 microbatches=2",
              {"0F0,0F1,5F0,5I0,5F1,5I1,5W0,5W1,0I0,0W0,0I1,0W1", "1F0,1F1,4F0,4F1,4I0,4W0,4I1,1I0,4W1,1I1,1W0,1W1",
               "2F0,3F0,2F1,3F1,3I0,2I0,3I1,2I1,3W0,2W0,3W1,2W1"});
}

TEST(ZeroBubbleV, SaysNothingOfTheBubbleForUnevenCosts) {
  const Request request = requestOf(zeroBubbleV, "ranks=4 microbatches=8 cost_w=500");
  EXPECT_FALSE(zeroBubbleV.bubbleTime(request));
  EXPECT_EQ(zeroBubbleV.inFlight(request, 0), 8);
}

TEST(ZeroBubbleV, FitsItsCosts) {
  // Long weight halves fill every gap, if the order knows of them.
  const auto bubbleOf = [](const char *words) {
    const Schedule schedule = generate(zeroBubbleV, requestOf(zeroBubbleV, words));
    return simulate(schedule, {.forward = 1, .backward = 3, .backwardInput = 1, .backwardWeight = 2})->bubble();
  };
  EXPECT_EQ(bubbleOf("ranks=4 microbatches=12 cost_f=1 cost_i=1 cost_w=2 cost_comm=0"), 0);
  EXPECT_EQ(bubbleOf("ranks=4 microbatches=12"), 3);
}

TEST(ZeroBubbleV, WaitsForNoMessagesOnOneRank) {
  // Where the project's scheduler would do 1W0 right after 1I0.
  expectOrder(zeroBubbleV, "ranks=1 microbatches=1 cost_comm=100000", {"0F0,1F0,1I0,0I0,1W0,0W0"});
}

TEST(ZeroBubbleV, LeavesTheSurplusOutOfPyTorchsOrder) {
  expectOrder(zeroBubbleV, "ranks=2 microbatches=2 order=pytorch",
              {"0F0,0F1,3F0,3I0,3W0,3F1,3I1,3W1,0I0,0W0,0I1,0W1", "1F0,2F0,1F1,2F1,2I0,2W0,1I0,1W0,2I1,2W1,1I1,1W1"});
  expectOrder(zeroBubbleV, "ranks=3 microbatches=4 order=pytorch",
              {"0F0,0F1,0F2,0F3,5F0,5I0,5W0,5F1,5I1,5W1,5F2,5I2,5W2,0I0,0W0,5F3,5I3,5W3,0I1,0W1,0I2,0W2,0I3,0W3",
               "1F0,1F1,1F2,4F0,1F3,4F1,4I0,4W0,4F2,4I1,4W1,1I0,1W0,4F3,4I2,4W2,1I1,1W1,4I3,4W3,1I2,1I3,1W2,1W3",
               "2F0,3F0,2F1,3F1,2F2,3F2,3I0,3W0,2F3,2I0,2W0,3F3,3I1,3W1,2I1,2W1,3I2,3W2,2I2,3I3,2I3,2W2,3W3,2W3"});
}

TEST(ZeroBubbleV, RefusesOtherShapesAndIdleCosts) {
  EXPECT_EQ(refusalOf(zeroBubbleV, "ranks=2 stages=8 microbatches=4"),
            "needs two stages on each rank; got 8 stages on 2 ranks");
  EXPECT_EQ(refusalOf(zeroBubbleV, "ranks=2 microbatches=4 order=pytorch cost_comm=0"),
            "takes costs only with order=zero-bubble; PyTorch's order is made without them");
  EXPECT_EQ(refusalOf(zeroBubbleV, "ranks=2 microbatches=4 cost_f=0"),
            "option cost_f is a number from 1 to 1000000; got '0'");
}

} // namespace
} // namespace plumbline::schedules
