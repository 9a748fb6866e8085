#include "schedules/families.h"
#include "schedules/testing/checks.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <map>
#include <set>

namespace plumbline::schedules {
namespace {

using namespace testing;

TEST(PipeDream, IsSoundAndAsThePaperSays) { expectSound(pipedream, {}); }

// As the last two workers of figure 4.
TEST(PipeDream, StashesPicksAndUpdatesForEachMicrobatch) {
  expectOrder(
      pipedream, "stages=2 microbatches=3",
      {"0STASH0,0PICK0,0F0,0STASH1,0PICK1,0F1,0PICK0,0B0,0STEP0,0STASH2,0PICK2,0F2,0PICK1,0B1,0STEP1,0PICK2,0B2,0STEP2",
       "1STASH0,1PICK0,1F0,1PICK0,1B0,1STEP0,1STASH1,1PICK1,1F1,1PICK1,1B1,1STEP1,1STASH2,1PICK2,1F2,1PICK2,1B2,"
       "1STEP2"});
  expectOrder(pipedream, "stages=3 microbatches=1",
              {"0STASH0,0PICK0,0F0,0PICK0,0B0,0STEP0", "1STASH0,1PICK0,1F0,1PICK0,1B0,1STEP0",
               "2STASH0,2PICK0,2F0,2PICK0,2B0,2STEP0"});
}

// What a row does to the weights of its stage. Versions are numbered by the updates that made them.
class Replay {
public:
  explicit Replay(const std::vector<Action> &row) {
    for (const Action &action : row)
      step(action.opcode, action.microbatch.value());
  }

  std::size_t mostKept = 0;      // microbatches whose version is kept, at one time
  std::size_t mostDifferent = 0; // versions among them
  bool same = true;              // each backward pass saw the version of its forward pass

private:
  void step(Opcode opcode, std::int32_t microbatch) {
    if (opcode == Opcode::stash_weights)
      kept_[microbatch] = newest_;
    else if (opcode == Opcode::pick_weights)
      current_ = kept_.at(microbatch);
    else if (opcode == Opcode::forward)
      seen_[microbatch] = current_;
    else if (opcode == Opcode::backward)
      same = same && seen_.at(microbatch) == current_ && kept_.erase(microbatch) == 1;
    else if (opcode == Opcode::optimizer_step)
      ++newest_;
    mostKept = std::max(mostKept, kept_.size());
    std::set<int> versions;
    for (const auto &[m, version] : kept_)
      versions.insert(version);
    mostDifferent = std::max(mostDifferent, versions.size());
  }

  int newest_ = 0, current_ = 0;
  std::map<std::int32_t, int> kept_, seen_; // version by microbatch
};

// Section 3.3: stage s keeps S - s versions. The microbatches of a cold start share the first one, so that it takes
// some microbatches more until the versions kept are all different.
TEST(PipeDream, KeepsAsManyVersionsAsMicrobatchesInFlight) {
  for (std::int32_t stages = 1; stages <= 6; ++stages)
    for (std::int32_t microbatches = 1; microbatches <= 4 * stages; ++microbatches) {
      const Request request =
          requestOf(pipedream, "stages=" + std::to_string(stages) + " microbatches=" + std::to_string(microbatches));
      const Schedule schedule = generate(pipedream, request);
      for (std::int32_t s = 0; s < stages; ++s) {
        SCOPED_TRACE(std::to_string(microbatches) + " microbatches, stage " + std::to_string(s) + " of " +
                     std::to_string(stages));
        const Replay replay(schedule.ranks[static_cast<std::size_t>(s)]);
        const std::int32_t inFlight = std::min(microbatches, stages - s);
        const std::int32_t different = std::min(inFlight, std::max(1, microbatches - (stages - s) + 1));
        EXPECT_EQ(replay.mostKept, static_cast<std::size_t>(inFlight));
        EXPECT_EQ(replay.mostDifferent, static_cast<std::size_t>(different));
        EXPECT_TRUE(replay.same);
      }
    }
}

} // namespace
} // namespace plumbline::schedules
