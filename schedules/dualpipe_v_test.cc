#include "schedules/families.h"
#include "schedules/testing/checks.h"

#include "gtest/gtest.h"

namespace plumbline::schedules {
namespace {

using namespace testing;

TEST(DualPipeV, IsSoundAndAsThePaperSays) {
  expectSound(dualpipeV, {.chunks = {2}, .words = "overlap=yes"});
  expectSound(dualpipeV, {.ranks = {1, 2, 3, 4, 5, 8, 12}, .chunks = {2}, .words = "overlap=no"});
}

TEST(DualPipeV, IsWhatTheFrameworksDo) {
  expectCorpusOrder(dualpipeV, "ranks=2 microbatches=4", "dualpipe/dualpipev_2rank_4stage_4mb.csv");
  expectCorpusOrder(dualpipeV, "ranks=4 microbatches=10", "dualpipe/dualpipev_4rank_8stage_10mb.csv");
  expectCorpusOrder(dualpipeV, "ranks=8 microbatches=16", "dualpipe/dualpipev_8rank_16stage_16mb.csv");
  expectCorpusOrder(dualpipeV, "ranks=4 microbatches=10 overlap=no",
                    "dualpipe/dualpipev-nooverlap_4rank_8stage_10mb.csv");
  expectCorpusOrder(dualpipeV, "ranks=2 microbatches=4", "pytorch/dualpipev_2rank_4stage_4mb_compute.csv");
  expectCorpusOrder(dualpipeV, "ranks=4 microbatches=8", "pytorch/dualpipev_4rank_8stage_8mb_compute.csv");
}

TEST(DualPipeV, TakesAnyNumberOfRanksAndEnoughMicrobatches) {
  expectOrder(dualpipeV, "ranks=1 microbatches=2", {"0F0,1F0,0F1,1B0,(1F1;0B0)OVERLAP_F_B,1B1,0I1,0W1"});
  EXPECT_EQ(refusalOf(dualpipeV, "ranks=4 microbatches=7"), "needs at least as many microbatches as stages (8); got 7");
  EXPECT_EQ(refusalOf(dualpipeV, "ranks=4 stages=16 microbatches=16"),
            "needs two stages on each rank; got 16 stages on 4 ranks");
}

} // namespace
} // namespace plumbline::schedules
