#include "schedules/families.h"
#include "schedules/testing/checks.h"

#include "gtest/gtest.h"

namespace plumbline::schedules {
namespace {

using namespace testing;

const Family &family = interleavedOneForwardOneBackward;

TEST(InterleavedOneForwardOneBackward, IsSoundAndAsThePaperSays) {
  expectSound(family, {.chunks = {1, 2, 3, 4}, .words = ""});
}

TEST(InterleavedOneForwardOneBackward, IsSoundWithOtherGroups) {
  for (const char *group : {"group=3", "group=4", "group=5", "group=6", "group=7", "group=9"})
    expectSound(family, {.ranks = {1, 2, 3, 4, 5}, .chunks = {2, 3}, .words = group, .mostMicrobatches = 6});
}

TEST(InterleavedOneForwardOneBackward, IsWhatMegatronPrints) {
  for (const char *kind : {"interleaved1f1b", "interleaved1f1b-overlap"}) {
    const std::string name = std::string("megatron-lm/") + kind;
    expectCorpusOrder(family, "ranks=2 stages=4 microbatches=4", name + "_2rank_4stage_4mb.csv");
    expectCorpusOrder(family, "ranks=4 stages=8 microbatches=8", name + "_4rank_8stage_8mb.csv");
  }
  expectCorpusOrder(family, "ranks=4 stages=12 microbatches=8", "megatron-lm/interleaved1f1b_4rank_12stage_8mb.csv");
  expectCorpusOrder(family, "ranks=4 stages=8 microbatches=12 group=6",
                    "megatron-lm/interleaved1f1b-group6_4rank_8stage_12mb.csv");
}

TEST(InterleavedOneForwardOneBackward, IsWhatOtherFrameworksPrint) {
  for (const char *file : {"pytorch/interleaved1f1b_2rank_4stage_4mb_compute.csv",
                           "nnscaler/interleaved1f1b_2rank_4stage_4mb.csv", "zero-bubble/vpp_2rank_4stage_4mb.csv"})
    expectCorpusOrder(family, "ranks=2 stages=4 microbatches=4", file);
  for (const char *file : {"pytorch/interleaved1f1b_4rank_8stage_8mb_compute.csv",
                           "nnscaler/interleaved1f1b_4rank_8stage_8mb.csv", "zero-bubble/vpp_4rank_8stage_8mb.csv"})
    expectCorpusOrder(family, "ranks=4 stages=8 microbatches=8", file);
  expectCorpusOrder(family, "ranks=4 stages=8 microbatches=4", "nnscaler/interleaved1f1b_4rank_8stage_4mb.csv");
  expectCorpusOrder(family, "ranks=4 stages=12 microbatches=8", "zero-bubble/vpp_4rank_12stage_8mb.csv");
}

// By hand from the two rules: turns, and the warm-up of (v-1)g + 2(R-1-r).
TEST(InterleavedOneForwardOneBackward, TakesAnUnevenLastGroup) {
  expectOrder(family, "ranks=2 stages=4 microbatches=5 group=3",
              {"0F0,0F1,0F2,2F0,2F1,2F2,2B0,0F3,2B1,0F4,2B2,2F3,0B0,2F4,0B1,0B2,2B3,2B4,0B3,0B4",
               "1F0,1F1,1F2,3F0,3B0,3F1,3B1,3F2,3B2,1F3,1B0,1F4,1B1,3F3,1B2,3F4,3B3,3B4,1B3,1B4"});
}

TEST(InterleavedOneForwardOneBackward, TakesFewerMicrobatchesThanRanks) {
  const std::vector<std::string> lines = {"0F0,0F1,3F0,3F1,3B0,3B1,0B0,0B1", "1F0,1F1,4F0,4F1,4B0,4B1,1B0,1B1",
                                          "2F0,2F1,5F0,5B0,5F1,5B1,2B0,2B1"};
  expectOrder(family, "ranks=3 stages=6 microbatches=2", lines);
  expectOrder(family, "ranks=3 stages=6 microbatches=2 group=2", lines);
}

TEST(InterleavedOneForwardOneBackward, MakesLargerGroupsWherePyTorchDoes) {
  for (const auto &[sizes, group] : {std::pair("ranks=4 stages=8 microbatches=7", " group=7"),
                                     std::pair("ranks=4 stages=8 microbatches=10", " group=5")}) {
    const Request usual = requestOf(family, sizes), asked = requestOf(family, std::string(sizes) + group);
    EXPECT_EQ(linesOf(generate(family, usual)), linesOf(generate(family, asked))) << sizes;
  }
}

TEST(InterleavedOneForwardOneBackward, RefusesWhatTheFrameworksRefuse) {
  EXPECT_EQ(refusalOf(family, "ranks=4 stages=8 microbatches=9"),
            "needs a number of microbatches that is divisible by the number of rounds, microbatches / ranks (2), or a "
            "group; got 9");
  EXPECT_EQ(refusalOf(family, "ranks=4 stages=8 microbatches=12 group=3"),
            "needs a group from the number of ranks (4) to the number of microbatches (12); got 3");
  EXPECT_EQ(refusalOf(family, "ranks=4 stages=8 microbatches=12 group=13"),
            "needs a group from the number of ranks (4) to the number of microbatches (12); got 13");
  EXPECT_EQ(refusalOf(family, "ranks=4 stages=8 microbatches=3 group=2"),
            "needs a group from the number of ranks (4) to the number of microbatches (3); got 2");
  EXPECT_EQ(refusalOf(family, "ranks=4 stages=8 microbatches=11 group=4"),
            "needs a last group with at least as many microbatches as ranks (4); got 3 of 11 in groups of 4");
  EXPECT_EQ(refusalOf(family, "ranks=4 stages=8 microbatches=12 group=8"), "");
  EXPECT_EQ(refusalOf(family, "ranks=4 stages=9 microbatches=8"),
            "needs a number of stages that is divisible by the number of ranks; got 9 stages on 4 ranks");
}

} // namespace
} // namespace plumbline::schedules
