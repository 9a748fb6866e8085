#include "schedules/families.h"
#include "schedules/testing/checks.h"

#include "gtest/gtest.h"

namespace plumbline::schedules {
namespace {

using namespace testing;

TEST(GPipe, IsSoundAndAsThePaperSays) { expectSound(gpipe, {}); }

TEST(GPipe, IsWhatTheFrameworksPrint) {
  expectCorpusOrder(gpipe, "stages=2 microbatches=4", "pytorch/gpipe_2rank_2stage_4mb_compute.csv");
  expectCorpusOrder(gpipe, "stages=4 microbatches=8", "pytorch/gpipe_4rank_4stage_8mb_compute.csv");
  expectCorpusOrder(gpipe, "stages=2 microbatches=4", "nnscaler/gpipe_2rank_2stage_4mb.csv");
  expectCorpusOrder(gpipe, "stages=4 microbatches=8", "nnscaler/gpipe_4rank_4stage_8mb.csv");
}

TEST(GPipe, RecomputesRightBeforeEachBackwardPass) {
  expectOrder(gpipe, "stages=2 microbatches=2 recompute=yes", {"0F0,0F1,0R0,0B0,0R1,0B1", "1F0,1F1,1R0,1B0,1R1,1B1"});
}

} // namespace
} // namespace plumbline::schedules
