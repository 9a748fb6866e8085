#include "schedules/families.h"
#include "schedules/testing/checks.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <map>
#include <set>

namespace plumbline::schedules {
namespace {

using namespace testing;

TEST(PipeDream2BW, IsSoundAndAsThePaperSays) {
  expectSound(pipedream2bw, {});
  expectSound(pipedream2bw, {.ranks = {1, 2, 3, 4, 5, 6}, .words = "batch=6"});
}

// Figure 2 with two workers: the update of one batch is first used two batches later, and the last microbatch of the
// batch between goes back to the older version.
TEST(PipeDream2BW, DelaysEachUpdateByOneBatch) {
  expectOrder(pipedream2bw, "stages=2 microbatches=6",
              {"0STASH0,0STASH2,0PICK0,0F0,0F1,0B0,0F2,0B1,0STEP1,0STASH4,0F3,0B2,0PICK4,0F4,0PICK2,0B3,0STEP3,0PICK4,"
               "0F5,0B4,0B5,0STEP5",
               "1STASH0,1STASH2,1PICK0,1F0,1B0,1F1,1B1,1STEP1,1STASH4,1F2,1B2,1F3,1B3,1STEP3,1PICK4,1F4,1B4,1F5,1B5,"
               "1STEP5"});
}

TEST(PipeDream2BW, RunsASingleBatch) {
  expectOrder(pipedream2bw, "stages=2 microbatches=3 batch=3",
              {"0STASH0,0PICK0,0F0,0F1,0B0,0F2,0B1,0B2,0STEP2", "1STASH0,1PICK0,1F0,1B0,1F1,1B1,1F2,1B2,1STEP2"});
}

// What a row does to the weights of its stage. Versions are numbered by the updates that made them; one is alive while
// it is the newest or kept for a batch whose last backward pass is still to come.
class Replay {
public:
  Replay(const std::vector<Action> &row, std::int32_t batch) : batch_(batch) {
    for (const Action &action : row)
      step(action.opcode, action.microbatch.value());
  }

  std::size_t mostAlive = 0;
  bool delayedByOne = true; // each pass saw the version that the update of the batch before the last one made
  bool picksOnlyToChange = true;

private:
  void step(Opcode opcode, std::int32_t microbatch) {
    const std::int32_t batch = microbatch / batch_;
    if (opcode == Opcode::stash_weights) {
      kept_[microbatch] = newest_;
    } else if (opcode == Opcode::pick_weights) {
      picksOnlyToChange = picksOnlyToChange && current_ != kept_.at(microbatch);
      current_ = kept_.at(microbatch);
    } else if (opcode == Opcode::optimizer_step) {
      ++newest_;
    } else {
      delayedByOne = delayedByOne && current_ == std::max(0, batch - 1);
      if (opcode == Opcode::backward && microbatch % batch_ == batch_ - 1)
        delayedByOne = delayedByOne && kept_.erase(batch * batch_) == 1;
    }
    std::set<int> alive = {newest_};
    for (const auto &[first, version] : kept_)
      alive.insert(version);
    mostAlive = std::max(mostAlive, alive.size());
  }

  std::int32_t batch_;
  int newest_ = 0, current_ = -1;
  std::map<std::int32_t, int> kept_; // version, by the first microbatch of the batch
};

TEST(PipeDream2BW, KeepsTwoVersions) {
  for (std::int32_t stages = 1; stages <= 6; ++stages)
    for (std::int32_t batch = stages; batch <= stages + 2; ++batch)
      for (std::int32_t batches = 1; batches <= 5; ++batches) {
        const std::string words = "stages=" + std::to_string(stages) + " batch=" + std::to_string(batch) +
                                  " microbatches=" + std::to_string(batch * batches);
        const Schedule schedule = generate(pipedream2bw, requestOf(pipedream2bw, words));
        for (const std::vector<Action> &row : schedule.ranks) {
          SCOPED_TRACE(words);
          const Replay replay(row, batch);
          EXPECT_EQ(replay.mostAlive, batches == 1 ? 1U : 2U);
          EXPECT_TRUE(replay.delayedByOne);
          EXPECT_TRUE(replay.picksOnlyToChange);
        }
      }
}

TEST(PipeDream2BW, RefusesBatchesThatNeedMoreVersionsOrDoNotFit) {
  EXPECT_EQ(refusalOf(pipedream2bw, "stages=4 microbatches=12 batch=3"),
            "needs a batch of at least as many microbatches as there are ranks (4), for two versions of the weights to "
            "be enough; got 3");
  EXPECT_EQ(refusalOf(pipedream2bw, "stages=4 microbatches=6"),
            "needs a number of microbatches that is divisible by the batch (4); got 6");
  EXPECT_EQ(refusalOf(pipedream2bw, "stages=4 microbatches=8 batch=6"),
            "needs a number of microbatches that is divisible by the batch (6); got 8");
}

} // namespace
} // namespace plumbline::schedules
