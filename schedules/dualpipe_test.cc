#include "schedules/families.h"
#include "schedules/testing/checks.h"
#include "tests/corpus/corpus.h"
#include "verifier/frontend/dualpipe_json.h"

#include "gtest/gtest.h"

namespace plumbline::schedules {
namespace {

using namespace testing;

// As expectCorpusOrder, for what tools record of DualPipe's step().
void expectRecordedOrder(const std::string &words, const std::string &file) {
  const std::string text = plumbline::testing::contentOf("tests/corpus/dualpipe/" + file);
  const Result<Schedule> recorded = frontend::readDualPipeJson({file, text});
  ASSERT_TRUE(recorded) << recorded.error().message;
  expectOrder(dualpipe, words, linesOf(*recorded));
}

TEST(DualPipe, IsSoundAndAsThePaperSays) {
  expectSound(dualpipe, {});
  expectSound(dualpipe, {.ranks = {2, 4, 6, 8, 12, 16}, .words = "overlap=no"});
}

TEST(DualPipe, IsWhatTheAuthorsProgramDoes) {
  expectRecordedOrder("ranks=2 microbatches=6", "dualpipe_2rank_6chunks.json");
  expectRecordedOrder("ranks=4 microbatches=8", "dualpipe_4rank_8chunks.json");
  expectRecordedOrder("ranks=8 microbatches=20", "dualpipe_8rank_20chunks.json");
  expectRecordedOrder("ranks=4 microbatches=8 overlap=no", "dualpipe-nooverlap_4rank_8chunks.json");
}

TEST(DualPipe, RefusesWhatTheAuthorsProgramRefuses) {
  EXPECT_EQ(refusalOf(dualpipe, "ranks=3 microbatches=8"), "needs an even number of ranks; got 3");
  EXPECT_EQ(refusalOf(dualpipe, "ranks=4 microbatches=9"),
            "needs an even number of microbatches, half of them in each direction; got 9");
  EXPECT_EQ(refusalOf(dualpipe, "ranks=4 microbatches=6"),
            "needs at least twice as many microbatches as ranks (8); got 6");
}

} // namespace
} // namespace plumbline::schedules
