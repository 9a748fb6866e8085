#include "schedules/families.h"
#include "schedules/testing/checks.h"

#include "gtest/gtest.h"

namespace plumbline::schedules {
namespace {

using namespace testing;

TEST(OneForwardOneBackward, IsSoundAndAsThePaperSays) { expectSound(oneForwardOneBackward, {}); }

TEST(OneForwardOneBackward, IsWhatTheFrameworksPrint) {
  for (const char *project : {"pytorch/", "megatron-lm/", "zero-bubble/", "nnscaler/"}) {
    const std::string kind = std::string(project) == "pytorch/" ? "_compute.csv" : ".csv";
    expectCorpusOrder(oneForwardOneBackward, "stages=2 microbatches=4", project + ("1f1b_2rank_2stage_4mb" + kind));
    expectCorpusOrder(oneForwardOneBackward, "stages=4 microbatches=8", project + ("1f1b_4rank_4stage_8mb" + kind));
  }
  expectCorpusOrder(oneForwardOneBackward, "stages=4 microbatches=2", "megatron-lm/1f1b_4rank_4stage_2mb.csv");
}

} // namespace
} // namespace plumbline::schedules
