#include "verifier/lower/insert_communication.h"

#include "tests/corpus/corpus.h"
#include "verifier/frontend/pytorch_csv.h"
#include "verifier/lower/placement.h"

#include "gtest/gtest.h"

#include <map>

namespace plumbline::lower {
namespace {

using plumbline::testing::contentOf;
using plumbline::testing::corpusFiles;

std::string cellOf(const Action &a) {
  static const std::map<Opcode, std::string> words = {
      {Opcode::forward, "F"},
      {Opcode::backward, "B"},
      {Opcode::backward_input, "I"},
      {Opcode::backward_weight, "W"},
      {Opcode::send_activation, "SEND_F"},
      {Opcode::receive_activation, "RECV_F"},
      {Opcode::send_gradient, "SEND_B"},
      {Opcode::receive_gradient, "RECV_B"},
  };
  const auto word = words.find(a.opcode);
  if (word == words.end())
    return "";
  return std::to_string(a.stage.value()) + word->second + std::to_string(a.microbatch.value());
}

// The row as cells, without those about parameters.
std::string rowOf(const std::vector<Action> &row) {
  std::string text;
  for (const Action &action : row)
    if (const std::string cell = cellOf(action); !cell.empty())
      text += (text.empty() ? "" : ",") + cell;
  return text;
}

Schedule scheduleOf(const std::string &text) {
  Result<Schedule> schedule = frontend::readPyTorchCsv({"test.csv", text}, std::nullopt);
  EXPECT_TRUE(schedule.ok());
  return schedule ? std::move(*schedule) : Schedule();
}

std::string insertedInto(const std::string &text) {
  const Schedule schedule = scheduleOf(text);
  std::string result;
  for (const std::vector<Action> &row : insertCommunication(schedule, placementOf(schedule)).ranks)
    result += rowOf(row) + "\n";
  return result;
}

void expectSameRows(const Schedule &actual, const Schedule &expected, const std::string &path) {
  ASSERT_EQ(actual.ranks.size(), expected.ranks.size());
  for (std::size_t rank = 0; rank < actual.ranks.size(); ++rank)
    EXPECT_EQ(rowOf(actual.ranks[rank]), rowOf(expected.ranks[rank])) << path << ", rank " << rank;
}

// PyTorch inserts messages after it has inserted the cells about parameters, and those take turns too.
TEST(InsertCommunication, GivesPyTorchsOrderForPyTorchsCells) {
  int compared = 0;
  for (const std::string &path : corpusFiles("/pytorch/", "_comms.csv")) {
    const Schedule expected = scheduleOf(contentOf(path));
    Schedule stripped = expected;
    stripped.hasCommunication = false;
    for (std::vector<Action> &row : stripped.ranks)
      std::erase_if(row, [](const Action &a) { return isPointToPoint(a.opcode); });
    expectSameRows(insertCommunication(stripped, placementOf(stripped)), expected, path);
    ++compared;
  }
  EXPECT_GE(compared, 14);
}

TEST(InsertCommunication, GivesPyTorchsOrderForComputeOnlyFiles) {
  for (const std::string &path : corpusFiles("/pytorch/", "_comms.csv")) {
    const std::string stem = path.substr(0, path.size() - std::string("comms.csv").size());
    const Schedule compute = scheduleOf(contentOf(stem + "compute.csv"));
    expectSameRows(insertCommunication(compute, placementOf(compute)), scheduleOf(contentOf(path)), path);
  }
}

TEST(InsertCommunication, SendsWhatAnotherRankNeedsAndNothingElse) {
  EXPECT_EQ(insertedInto("0F0,0B0\n1F0,1B0\n"), "0F0,0SEND_F0,0RECV_B0,0B0\n"
                                                "1RECV_F0,1F0,1B0,1SEND_B0\n");
  // Both stages at the bottom of the V are on rank 1.
  EXPECT_EQ(insertedInto("0F0,3F0,3B0,0B0\n1F0,2F0,2B0,1B0\n"),
            "0F0,0SEND_F0,3RECV_F0,3F0,3B0,3SEND_B0,0RECV_B0,0B0\n"
            "1RECV_F0,1F0,2F0,2SEND_F0,2RECV_B0,2B0,1B0,1SEND_B0\n");
}

TEST(InsertCommunication, SendsOfAnOverlappedCallFollowIt) {
  EXPECT_EQ(insertedInto("0F0,0F1,0B0,0B1\n1F0,(1F1;1B0)OVERLAP_F_B,1B1\n2F0,2B0,2F1,2B1\n"),
            "0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n"
            "1RECV_F0,1F0,1SEND_F0,1RECV_F1,1RECV_B0,1F1,1B0,1SEND_F1,1SEND_B0,1RECV_B1,1B1,1SEND_B1\n"
            "2RECV_F0,2F0,2B0,2SEND_B0,2RECV_F1,2F1,2B1,2SEND_B1\n");
}

TEST(InsertCommunication, PlacesEveryCellOfAnOrderInWhichAllWait) {
  // Rank 0 wants the gradient before it has made what that depends on.
  EXPECT_EQ(insertedInto("0B0,0F0\n1F0,1B0\n"), "0RECV_B0,0B0,0F0,0SEND_F0\n"
                                                "1RECV_F0,1F0,1B0,1SEND_B0\n");
  // No cell makes what 1F1 takes.
  EXPECT_EQ(insertedInto("0F0,0B0\n1F1,1F0,1B0\n"), "0F0,0SEND_F0,0RECV_B0,0B0\n"
                                                    "1RECV_F0,1F1,1F0,1B0,1SEND_B0\n");
}

TEST(InsertCommunication, LeavesOutMessagesToAStageOnNoRank) {
  EXPECT_EQ(insertedInto("0F0,0B0\n2F0,2B0\n"), "0F0,0B0\n2F0,2B0\n");
}

TEST(InsertCommunication, PointsAtTheCellsThatMakeAndNeedTheValue) {
  const Schedule schedule = scheduleOf("0F0,0B0\n1F0,1B0\n");
  const Schedule inserted = insertCommunication(schedule, placementOf(schedule));
  EXPECT_TRUE(inserted.hasCommunication);
  EXPECT_EQ(inserted.ranks[0][1].location, schedule.ranks[0][0].location); // SEND_F by 0F0
  EXPECT_EQ(inserted.ranks[0][2].location, schedule.ranks[0][1].location); // RECV_B for 0B0
  EXPECT_EQ(inserted.ranks[1][0].location, schedule.ranks[1][0].location); // RECV_F for 1F0
}

TEST(InsertCommunication, TakesLinearTimeWhenOnlyOneRankCanGoOn) {
  // Every rank waits for the one before it, over and over.
  constexpr int ranks = 2000, microbatches = 100;
  std::string text;
  for (int rank = 0; rank < ranks; ++rank)
    for (int m = 0; m < microbatches; ++m)
      text += std::to_string(rank) + "F" + std::to_string(m) + (m + 1 < microbatches ? "," : "\n");
  const Schedule schedule = scheduleOf(text);
  const Schedule inserted = insertCommunication(schedule, placementOf(schedule));
  std::size_t actions = 0;
  for (const std::vector<Action> &row : inserted.ranks)
    actions += row.size();
  EXPECT_EQ(actions, std::size_t(microbatches) * (3 * ranks - 2));
}

} // namespace
} // namespace plumbline::lower
