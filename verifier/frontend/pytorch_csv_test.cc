#include "verifier/frontend/pytorch_csv.h"

#include "tests/corpus/corpus.h"

#include "gtest/gtest.h"

namespace plumbline::frontend {
namespace {

Schedule scheduleOf(llvm::StringRef text, std::optional<llvm::StringRef> batches = std::nullopt) {
  std::optional<Source> second;
  if (batches)
    second = Source{"b.csv", *batches};
  Result<Schedule> schedule = readPyTorchCsv({"t.csv", text}, second);
  EXPECT_TRUE(schedule.ok()) << (schedule ? "" : schedule.error().message);
  return schedule ? std::move(*schedule) : Schedule();
}

std::vector<std::size_t> rowSizes(const Schedule &schedule) {
  std::vector<std::size_t> sizes;
  for (const std::vector<Action> &row : schedule.ranks)
    sizes.push_back(row.size());
  return sizes;
}

using Sizes = std::vector<std::size_t>;

TEST(PyTorchCsv, ReadsEveryKindOfAction) {
  const Schedule s = scheduleOf("3F1,3B1,3I1,3W1,3SEND_F1,3RECV_F1,3SEND_B1,3RECV_B1,3UNSHARD,3RESHARD,3REDUCE_GRAD\n");
  const Opcode expected[] = {Opcode::forward,         Opcode::backward,         Opcode::backward_input,
                             Opcode::backward_weight, Opcode::send_activation,  Opcode::receive_activation,
                             Opcode::send_gradient,   Opcode::receive_gradient, Opcode::unshard,
                             Opcode::reshard,         Opcode::reduce_gradients};
  ASSERT_EQ(s.ranks[0].size(), std::size(expected));
  for (std::size_t k = 0; k < std::size(expected); ++k) {
    EXPECT_EQ(s.ranks[0][k].opcode, expected[k]);
    EXPECT_EQ(s.ranks[0][k].stage, StageId(3));
    EXPECT_EQ(s.ranks[0][k].microbatch, k < 8 ? MicrobatchId(1) : MicrobatchId());
  }
  EXPECT_TRUE(s.hasCommunication);
  EXPECT_EQ(s.stagesPerReplica, 4);
  EXPECT_FALSE(s.waitsForGroups);
}

TEST(PyTorchCsv, MembersOfAnOverlappedCallAreAGroup) {
  const Schedule s = scheduleOf("0F0, ( 0F1 ; 0B0 ) OVERLAP_F_B ,\"(0F2;0B1)OVERLAP_F_B\",0B2\n");
  ASSERT_EQ(s.ranks[0].size(), 6U);
  EXPECT_FALSE(s.ranks[0][0].group.valid());
  EXPECT_EQ(s.ranks[0][1].group, GroupId(0));
  EXPECT_EQ(s.ranks[0][2].group, GroupId(0));
  EXPECT_EQ(s.ranks[0][3].group, GroupId(1));
  EXPECT_EQ(s.groupCount, 2);
  EXPECT_FALSE(s.hasCommunication);
  EXPECT_EQ(s.ranks[0][1].location.column, 8U);
  EXPECT_EQ(s.ranks[0][2].location.column, 14U);
}

TEST(PyTorchCsv, TakesTheQuirksOfCsvWriters) {
  const Schedule s = scheduleOf("\xEF\xBB\xBF\"0F0\",\" 0F1\t\",,  ,0B0 ,\t0B1\r\n1F0,1B0\r\n\r\n\r\n");
  EXPECT_EQ(rowSizes(s), (Sizes{4, 2}));
  EXPECT_EQ(s.ranks[0][0].location.column, 5U); // behind the byte order mark and the quotation mark
  EXPECT_EQ(s.ranks[0][1].location.column, 12U);
  EXPECT_EQ(s.ranks[1][1].location.line, 2U);
  EXPECT_EQ(s.ranks[1][1].location.column, 5U);
  EXPECT_EQ(rowSizes(scheduleOf("0F0,0B0")), (Sizes{2}));
}

TEST(PyTorchCsv, AnEmptyLineIsARankWithoutWorkExceptAtTheEnd) {
  EXPECT_EQ(rowSizes(scheduleOf("0F0\n\n1F0\n\n \t\n")), (Sizes{1, 0, 1}));
  EXPECT_EQ(rowSizes(scheduleOf("0F0\n,,\n\n")), (Sizes{1, 0}));
}

TEST(PyTorchCsv, CountsMicrobatchesAsMostStagesDo) {
  EXPECT_EQ(scheduleOf("0F0,0F1\n1F0,1F1\n2F1,2F2\n").microbatches, 2);
  EXPECT_EQ(scheduleOf("0F0,0F1,0F2\n1F0,1F1\n2F0,2F1\n").microbatches, 2);
  EXPECT_EQ(scheduleOf("0F0,0F1,0F2\n1F0,1F1\n").microbatches, 3); // a tie
  EXPECT_EQ(scheduleOf("0B0,0B4\n").microbatches, 2);
  const Schedule s =
      scheduleOf(plumbline::testing::contentOf("tests/corpus/pytorch/1f1b_4rank_4stage_8mb_pipeline_order.csv"));
  EXPECT_EQ(s.microbatches, 8);
}

TEST(PyTorchCsv, WithoutABackwardItIsInference) {
  EXPECT_EQ(scheduleOf("0F0\n").mode, Mode::inference);
  EXPECT_EQ(scheduleOf("0F0,0W0\n").mode, Mode::training);
}

TEST(PyTorchCsv, LaunchesGroupMessagesInTheirOwnOrder) {
  const Schedule s = scheduleOf("0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0\n", "0RECV_B0; 0SEND_F0\n\n");
  EXPECT_TRUE(s.waitsForGroups);
  ASSERT_EQ(s.ranks[0].size(), 4U);
  EXPECT_EQ(s.ranks[0][1].opcode, Opcode::receive_gradient);
  EXPECT_EQ(s.ranks[0][1].location.column, 14U);
  EXPECT_EQ(s.ranks[0][2].opcode, Opcode::send_activation);
  EXPECT_EQ(s.ranks[0][1].group, GroupId(0));
  EXPECT_EQ(s.ranks[0][2].group, GroupId(0));
  EXPECT_FALSE(s.ranks[0][3].group.valid());
  EXPECT_FALSE(s.ranks[1][0].group.valid()); // a launch of its own
}

TEST(PyTorchCsv, ARepeatedMessageGoesToLaunchesInOrder) {
  const Schedule s = scheduleOf("0SEND_F0,0F0,0SEND_F0\n1F0\n", "0SEND_F0,0SEND_F0\n\n");
  EXPECT_EQ(s.ranks[0][0].group, GroupId(0));
  EXPECT_EQ(s.ranks[0][2].group, GroupId(1));
}

struct Case {
  llvm::StringRef text;
  std::uint32_t line, column;
  const char *message;
};

void expectRefused(const Case &c, const Result<Schedule> &schedule, const char *file) {
  ASSERT_FALSE(schedule.ok()) << c.text.str();
  const Diagnostic &error = schedule.error();
  EXPECT_EQ(error.file, file);
  EXPECT_EQ(error.line, c.line) << c.text.str() << error.message;
  EXPECT_EQ(error.column, c.column) << c.text.str() << error.message;
  EXPECT_NE(error.message.find(c.message), std::string::npos) << c.text.str() << error.message;
}

TEST(PyTorchCsv, RefusesMalformedTextWithThePlace) {
  const Case cases[] = {
      {"", 1, 1, "at least one action"},
      {",,\n", 1, 1, "at least one action"},
      {"0F0,hello\n", 1, 5, "expected a stage's number"},
      {"0F0,0\n", 1, 6, "expected an action"},
      {"0F0,0F\n", 1, 7, "found the end of the cell"},
      {"0F0\n1F0,  1X0\n", 2, 8, "unknown action 'X'"},
      {"0f0\n", 1, 2, "unknown action"},
      {"0BW0\n", 1, 2, "older spelling"},
      {"0F0,0SEND_F0,0WAIT_SEND_F0\n", 1, 15, "tools/export_pytorch.py"},
      {"0F0x\n", 1, 4, "end of the action"},
      {"0F0 1F0\n", 1, 4, "end of the action"},
      {"0F0;0F1\n", 1, 4, "end of the action"},
      {"0UNSHARD1\n", 1, 9, "end of the action"},
      {"-1F0\n", 1, 1, "expected a stage's number"},
      {"1000000F0\n", 1, 1, "not below"},
      {"0F99999999999999999999\n", 1, 3, "not below"},
      {"0OVERLAP_F_B\n", 1, 2, "parentheses"},
      {"(0F0;0B0)\n", 1, 10, "expected OVERLAP_F_B"},
      {"(0F0;0B0)OVERLAP\n", 1, 10, "expected OVERLAP_F_B"},
      {"(0F0,0B0)OVERLAP_F_B\n", 1, 5, "expected ';' or ')'"},
      {"(0F0;)OVERLAP_F_B\n", 1, 6, "expected a stage's number"},
      {"(0F0;0SEND_F0)OVERLAP_F_B\n", 1, 6, "can overlap"},
      {"\"0F0\n", 1, 5, "end the quoted cell"},
      {"\"0F\"\"0\"\n", 1, 5, "quotation mark"},
      {"\"0F0\"x\n", 1, 6, "expected ','"},
      {"0F0,0F1\r1F0\n", 1, 8, "carriage return"},
      {llvm::StringRef("0F0\n0\0F1\n", 9), 2, 2, "NUL"},
  };
  for (const Case &c : cases)
    expectRefused(c, readPyTorchCsv({"t.csv", c.text}, std::nullopt), "t.csv");
}

TEST(PyTorchCsv, RefusesSizesThatNoScheduleHas) {
  std::string manyStages = "999999F0";
  for (int m = 1; m < 100; ++m)
    manyStages += ",0F" + std::to_string(m);
  expectRefused({manyStages, 0, 0, "is more than"}, readPyTorchCsv({"t.csv", manyStages}, std::nullopt), "t.csv");
  const std::string manyRanks = std::string(1'000'001, '\n') + "0F0\n";
  expectRefused({"", 1'000'002, 1, "ranks"}, readPyTorchCsv({"t.csv", manyRanks}, std::nullopt), "t.csv");
  std::string wideCall = "(0F0";
  for (int m = 1; m < 100; ++m)
    wideCall += ";0F" + std::to_string(m);
  wideCall += ")OVERLAP_F_B\n";
  EXPECT_FALSE(readPyTorchCsv({"t.csv", wideCall}, std::nullopt).ok());
}

TEST(PyTorchCsv, RefusesLaunchesThatDoNotFitTheRows) {
  const char *rows = "0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0\n1RECV_F0\n";
  const Case cases[] = {
      {"0SEND_F0;0SEND_F1\n", 1, 1, "next to each other"},
      {"0SEND_F1;0SEND_F1\n", 1, 10, "no other launch has"},
      {"0SEND_F0,0SEND_F0\n", 1, 10, "no other launch has"},
      {"0SEND_F9\n", 1, 1, "no '0SEND_F9'"},
      {"\n0SEND_F0\n", 2, 1, "rank 1 has no"},
      {"0F0\n", 1, 1, "only messages"},
      {"0SEND_F1;\n", 1, 10, "expected a stage's number"},
      {"0SEND_F1 0RECV_B0\n", 1, 10, "expected ';'"},
      {"\n\n0SEND_F0\n", 3, 1, "only 2 ranks"},
      {"0SEND_F1;0RECV_B\n", 1, 17, "expected a microbatch's number"},
      {"", 1, 1, "each of the 2 ranks (an empty line for a rank without launches), found 0"},
      {"0SEND_F1;0RECV_B0\n", 2, 1, "found 1"},
  };
  for (const Case &c : cases)
    expectRefused(c, readPyTorchCsv({"t.csv", rows}, Source{"b.csv", c.text}), "b.csv");
}

TEST(PyTorchCsv, ReadsARowOfAMillionColumnsInLinearTime) {
  std::string text;
  for (int k = 0; k < 500'000; ++k)
    text += ",0F7,";
  EXPECT_EQ(scheduleOf(text).ranks[0].size(), 500'000U);
}

} // namespace
} // namespace plumbline::frontend
