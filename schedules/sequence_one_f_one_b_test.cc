#include "schedules/families.h"
#include "schedules/testing/checks.h"

#include "gtest/gtest.h"

namespace plumbline::schedules {
namespace {

using namespace testing;

const Family &family = sequenceOneForwardOneBackward;

// The order of each rank's segments of one microbatch, forward and then backward.
void expectSegmentsInOrder(const Schedule &schedule, std::int32_t segments) {
  for (const std::vector<Action> &row : schedule.ranks) {
    std::vector<std::int32_t> forwards(static_cast<std::size_t>(schedule.microbatches / segments));
    std::vector<std::int32_t> backwards(forwards.size());
    for (const Action &action : row) {
      const auto microbatch = static_cast<std::size_t>(action.microbatch.value() / segments);
      const std::int32_t segment = action.microbatch.value() % segments;
      if (action.opcode == Opcode::forward) {
        EXPECT_EQ(segment, forwards[microbatch]++) << "forward pass of microbatch " << microbatch;
      } else {
        EXPECT_EQ(segment, segments - 1 - backwards[microbatch]++) << "backward pass of microbatch " << microbatch;
        EXPECT_EQ(forwards[microbatch], segments) << "forward passes of microbatch " << microbatch;
      }
    }
  }
}

TEST(SequenceOneForwardOneBackward, IsSoundAndAsThePaperSays) {
  for (const char *segments : {"segments=1", "segments=2", "segments=3", "segments=4", "segments=7"})
    expectSound(family, {.words = segments});
}

TEST(SequenceOneForwardOneBackward, KeepsTheOrderOfAMicrobatchsSegments) {
  for (const std::int32_t segments : {1, 2, 3, 4, 7})
    for (const char *sizes : {"stages=1 microbatches=3", "stages=4 microbatches=1", "stages=4 microbatches=6"}) {
      SCOPED_TRACE(std::string(sizes) + " segments=" + std::to_string(segments));
      const Request request = requestOf(family, std::string(sizes) + " segments=" + std::to_string(segments));
      const Schedule schedule = generate(family, request);
      EXPECT_EQ(schedule.microbatches, request.microbatches * segments);
      expectSegmentsInOrder(schedule, segments);
    }
}

// By hand from the warm-up of S - s + k - 2 and the order of the segments.
TEST(SequenceOneForwardOneBackward, IsAsFigureOneShows) {
  expectOrder(family, "stages=2 microbatches=2 segments=2",
              {"0F0,0F1,0F2,0B1,0F3,0B0,0B3,0B2", "1F0,1F1,1B1,1F2,1B0,1F3,1B3,1B2"});
  expectOrder(family, "stages=4 microbatches=3 segments=2",
              {"0F0,0F1,0F2,0F3,0F4,0B1,0F5,0B0,0B3,0B2,0B5,0B4", "1F0,1F1,1F2,1F3,1B1,1F4,1B0,1F5,1B3,1B2,1B5,1B4",
               "2F0,2F1,2F2,2B1,2F3,2B0,2F4,2B3,2F5,2B2,2B5,2B4", "3F0,3F1,3B1,3F2,3B0,3F3,3B3,3F4,3B2,3F5,3B5,3B4"});
  expectOrder(family, "stages=3 microbatches=1 segments=3",
              {"0F0,0F1,0F2,0B2,0B1,0B0", "1F0,1F1,1F2,1B2,1B1,1B0", "2F0,2F1,2F2,2B2,2B1,2B0"});
}

TEST(SequenceOneForwardOneBackward, IsOneForwardOneBackwardWithOneSegment) {
  for (const std::string sizes : {"stages=1 microbatches=3", "stages=4 microbatches=2", "stages=4 microbatches=9"})
    EXPECT_EQ(linesOf(generate(family, requestOf(family, sizes + " segments=1"))),
              linesOf(generate(oneForwardOneBackward, requestOf(oneForwardOneBackward, sizes))));
}

TEST(SequenceOneForwardOneBackward, CutsIntoFourIfNotToldOtherwise) {
  EXPECT_EQ(generate(family, requestOf(family, "stages=2 microbatches=3")).microbatches, 12);
}

TEST(SequenceOneForwardOneBackward, RefusesWhatItCannotMake) {
  EXPECT_EQ(refusalOf(family, "stages=2 microbatches=2 segments=0"),
            "option segments is a number from 1 to 1024; got '0'");
  EXPECT_EQ(refusalOf(family, "stages=2 microbatches=2 segments=1025"),
            "option segments is a number from 1 to 1024; got '1025'");
  EXPECT_EQ(refusalOf(family, "stages=20 microbatches=20 segments=1000"), "");
  EXPECT_EQ(refusalOf(family, "stages=20 microbatches=20 segments=1001"),
            "20 stages times 20 microbatches times 1001 segments is more than 400000");
  EXPECT_EQ(refusalOf(family, "stages=4 ranks=2 microbatches=4"),
            "needs one stage on each rank; got 4 stages on 2 ranks");
}

} // namespace
} // namespace plumbline::schedules
