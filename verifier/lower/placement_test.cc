#include "verifier/lower/placement.h"

#include "verifier/frontend/pytorch_csv.h"

#include "gtest/gtest.h"

namespace plumbline::lower {
namespace {

Schedule scheduleOf(const std::string &text) {
  Result<Schedule> schedule = frontend::readPyTorchCsv({"test.csv", text}, std::nullopt);
  EXPECT_TRUE(schedule.ok());
  return schedule ? std::move(*schedule) : Schedule();
}

std::vector<int> numbers(const Placement &placement) {
  std::vector<int> result;
  for (const RankId rank : placement)
    result.push_back(rank.value());
  return result;
}

using Ranks = std::vector<int>;

TEST(Placement, FollowsFromTheForwardsOrElseFromAnyAction) {
  EXPECT_EQ(numbers(placementOf(scheduleOf("0F0,3F0\n1F0,2F0\n"))), (Ranks{0, 1, 1, 0}));
  EXPECT_EQ(numbers(placementOf(scheduleOf("1B0\n1F0,0B0\n"))), (Ranks{1, 1}));
  EXPECT_EQ(numbers(placementOf(scheduleOf("0F0\n2F0\n"))), (Ranks{0, -1, 1}));
}

TEST(Placement, LoopsAndVs) {
  EXPECT_EQ(numbers(loopPlacement(6, 3)), (Ranks{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(numbers(vPlacement(6, 3)), (Ranks{0, 1, 2, 2, 1, 0}));
  EXPECT_EQ(numbers(vPlacement(3, 1)), (Ranks{0, 0, 0}));
}

TEST(Placement, ReadsFiles) {
  const Result<Placement> placement =
      parsePlacementFile("p.txt", "# V\nstage 0 on rank 0\n\n1: 1\n 3 0 # up again\r\n2,1\n");
  ASSERT_TRUE(placement.ok()) << placement.error().message;
  EXPECT_EQ(numbers(*placement), (Ranks{0, 1, 1, 0}));
}

TEST(Placement, RefusesMalformedFilesWithThePlace) {
  struct Case {
    const char *text;
    std::uint32_t line, column;
  };
  const Case cases[] = {
      {"", 1, 1},
      {"0 0\nx\n", 2, 1},
      {"0\n", 1, 2},
      {"0 0 0\n", 1, 5},
      {"0 0\n0 1\n", 2, 1},
      {"1 0\n", 0, 0},
      {"0 1000000\n", 1, 3},
      {"stage on 0\n", 1, 7},
      {"0 0\r1 1\n", 1, 4},
      {"0 99999999999999999999\n", 1, 3},
  };
  for (const Case &c : cases) {
    const Result<Placement> placement = parsePlacementFile("p.txt", c.text);
    ASSERT_FALSE(placement.ok()) << c.text;
    EXPECT_EQ(placement.error().line, c.line) << c.text;
    EXPECT_EQ(placement.error().column, c.column) << c.text;
  }
}

TEST(Placement, ChecksOneFromOutsideAgainstTheRows) {
  const Schedule schedule = scheduleOf("0F0,3F0\n1F0,2F0\n");
  EXPECT_FALSE(checkPlacement(schedule, vPlacement(4, 2)));
  const std::optional<Diagnostic> loop = checkPlacement(schedule, loopPlacement(4, 2));
  ASSERT_TRUE(loop);
  EXPECT_EQ(loop->file, "test.csv");
  EXPECT_EQ(loop->line, 1U);
  EXPECT_EQ(loop->column, 5U); // 3F0
  EXPECT_TRUE(checkPlacement(schedule, loopPlacement(5, 2)));
  EXPECT_TRUE(checkPlacement(schedule, loopPlacement(4, 4)));
}

} // namespace
} // namespace plumbline::lower
