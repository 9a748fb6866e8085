#include "schedules/families.h"
#include "schedules/testing/checks.h"

#include "gtest/gtest.h"

namespace plumbline::schedules {
namespace {

using namespace testing;

TEST(Chimera, IsSoundAndAsThePaperSays) { expectSound(chimera, {.ranks = {2, 4, 6, 8, 10, 12}, .words = ""}); }

// Figure 3: P0 has the microbatches 0 1 2 2 3 3 0 1, P1 has 0 2 1 3 2 0 3 1; the paper's 2 and 3 are the second
// replica's 0 and 1.
TEST(Chimera, IsTheBasicUnitOfThePaper) {
  expectOrder(chimera, "ranks=4 microbatches=4",
              {"0F0,0F1,7F0,7B0,7F1,7B1,0B0,0B1", "1F0,6F0,1F1,6F1,6B0,1B0,6B1,1B1", "5F0,2F0,5F1,2F1,2B0,5B0,2B1,5B1",
               "4F0,4F1,3F0,3B0,3F1,3B1,4B0,4B1"});
  expectOrder(chimera, "ranks=2 microbatches=2", {"0F0,3F0,3B0,0B0", "2F0,1F0,1B0,2B0"});
}

// The unit of figure 3 with microbatches left out.
TEST(Chimera, RunsFewerMicrobatchesThanRanks) {
  expectOrder(chimera, "ranks=4 microbatches=2",
              {"0F0,7F0,7B0,0B0", "1F0,6F0,6B0,1B0", "5F0,2F0,2B0,5B0", "4F0,3F0,3B0,4B0"});
}

// Direct concatenation: the second unit's first forward pass on the outer ranks is in the first unit's last bubble.
TEST(Chimera, ConcatenatesUnits) {
  expectOrder(chimera, "ranks=4 microbatches=8",
              {"0F0,0F1,7F0,7B0,7F1,7B1,0B0,0F2,0B1,0F3,7F2,7B2,7F3,7B3,0B2,0B3",
               "1F0,6F0,1F1,6F1,6B0,1B0,6B1,1B1,1F2,6F2,1F3,6F3,6B2,1B2,6B3,1B3",
               "5F0,2F0,5F1,2F1,2B0,5B0,2B1,5B1,5F2,2F2,5F3,2F3,2B2,5B2,2B3,5B3",
               "4F0,4F1,3F0,3B0,3F1,3B1,4B0,4F2,4B1,4F3,3F2,3B2,3F3,3B3,4B2,4B3"});
  expectOrder(chimera, "ranks=2 microbatches=4",
              {"0F0,3F0,3B0,0B0,0F1,3F1,3B1,0B1", "2F0,1F0,1B0,2B0,2F1,1F1,1B1,2B1"});
}

TEST(Chimera, EndsWithAPartOfAUnit) {
  expectOrder(chimera, "ranks=4 microbatches=6",
              {"0F0,0F1,7F0,7B0,7F1,7B1,0B0,0F2,0B1,7F2,7B2,0B2", "1F0,6F0,1F1,6F1,6B0,1B0,6B1,1B1,1F2,6F2,6B2,1B2",
               "5F0,2F0,5F1,2F1,2B0,5B0,2B1,5B1,5F2,2F2,2B2,5B2", "4F0,4F1,3F0,3B0,3F1,3B1,4B0,4F2,4B1,3F2,3B2,4B2"});
}

TEST(Chimera, RefusesWhatCannotBeHalved) {
  EXPECT_EQ(refusalOf(chimera, "ranks=3 microbatches=6"), "needs an even number of ranks; got 3");
  EXPECT_EQ(refusalOf(chimera, "ranks=4 microbatches=5"),
            "needs an even number of microbatches, half of them in each direction; got 5");
}

} // namespace
} // namespace plumbline::schedules
