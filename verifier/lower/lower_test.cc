#include "verifier/lower/lower.h"

#include "verifier/frontend/pytorch_csv.h"
#include "verifier/ir/pir_print.h"

#include "gtest/gtest.h"

namespace plumbline::lower {
namespace {

Schedule scheduleOf(const std::string &text) {
  Result<Schedule> schedule = frontend::readPyTorchCsv({"t.csv", text}, std::nullopt);
  EXPECT_TRUE(schedule.ok());
  return schedule ? std::move(*schedule) : Schedule();
}

// The rank blocks of the lowered Program, without the header.
std::string lowered(const std::string &text) {
  const Result<Program> program = lowerSchedule(scheduleOf(text));
  EXPECT_TRUE(program.ok()) << (program ? "" : program.error().message);
  if (!program)
    return "";
  EXPECT_EQ(validate(*program), "");
  const std::string pir = toPir(*program);
  return pir.substr(pir.find("\nrank 0"));
}

TEST(Lower, GivesEachValueASlotAndEachReaderItsWait) {
  EXPECT_EQ(lowered("0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0\n"), R"(
rank 0 {
  pool outputs
  pool output_gradients
  pool stashes
  %forward.s0.m0 = forward s0 m0 write outputs[0]:output, stashes[0]:stash at 0:1:1
  send_activation s0 m0 to 1 via pipeline read outputs[0]:output wait %forward.s0.m0 at 0:1:5
  %receive_gradient.s0.m0 = receive_gradient s0 m0 from 1 via pipeline write output_gradients[0]:output_gradient at 0:1:14
  backward s0 m0 read outputs[0]:output, stashes[0]:stash, output_gradients[0]:output_gradient wait %receive_gradient.s0.m0 at 0:1:23
}

rank 1 {
  pool inputs
  pool outputs
  pool input_gradients
  pool stashes
  %receive_activation.s1.m0 = receive_activation s1 m0 from 0 via pipeline write inputs[0]:input at 0:2:1
  forward s1 m0 read inputs[0]:input write outputs[0]:output, stashes[0]:stash wait %receive_activation.s1.m0 at 0:2:10
  %backward.s1.m0 = backward s1 m0 read inputs[0]:input, outputs[0]:output, stashes[0]:stash write input_gradients[0]:input_gradient at 0:2:14
  send_gradient s1 m0 to 0 via pipeline read input_gradients[0]:input_gradient wait %backward.s1.m0 at 0:2:18
}
)");
}

TEST(Lower, NeighboursOnOneRankReadWhereTheOtherWrote) {
  const std::string text = lowered("0F0,1F0,1I0,1W0,0B0\n");
  EXPECT_NE(text.find("forward s1 m0 read outputs[0]:output(s0,m0) write outputs[1]:output, stashes[1]:stash at"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("backward_weight s1 m0 read outputs[0]:output(s0,m0), stashes[1]:stash at"), std::string::npos)
      << text;
  EXPECT_NE(
      text.find("backward s0 m0 read outputs[0]:output, stashes[0]:stash, input_gradients[0]:input_gradient(s1,m0) at"),
      std::string::npos)
      << text;
  EXPECT_EQ(text.find("wait"), std::string::npos) << text;
}

TEST(Lower, LastOutputOfInferenceGoesToTheCaller) {
  EXPECT_EQ(lowered("0F0\n"), "\nrank 0 {\n  forward s0 m0 at 0:1:1\n}\n");
}

// The forward pass then leaves only what it sends, and the recompute what the backward pass needs.
TEST(Lower, ARecomputeMakesTheStashAnew) {
  Schedule schedule = scheduleOf("0F0,0B0\n1F0,1B0\n");
  for (std::vector<Action> &row : schedule.ranks) {
    row.insert(row.begin() + 1, row.front());
    row[1].opcode = Opcode::recompute;
  }
  const Result<Program> program = lowerSchedule(schedule);
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(validate(*program), "");
  const std::string pir = toPir(*program);
  for (const char *line :
       {"= forward s0 m0 write outputs[0]:output at", "\n  recompute s0 m0 write stashes[0]:stash at",
        "backward s0 m0 read stashes[0]:stash, output_gradients[0]:output_gradient wait",
        "forward s1 m0 read inputs[0]:input wait", "recompute s1 m0 read inputs[0]:input write stash",
        "= backward s1 m0 read inputs[0]:input, stashes[0]:stash write input_gradients[0]"})
    EXPECT_NE(pir.find(line), std::string::npos) << line << "\n" << pir;
}

TEST(Lower, LeavesOutReadsOfWhatTheRankNeverGets) {
  const std::string text = lowered("0F0,0B0\n1B0,1SEND_B0\n");
  EXPECT_NE(text.find("backward s1 m0 write input_gradients[0]:input_gradient"), std::string::npos) << text;
}

TEST(Lower, ReadsBeforeTheirWriteKeepTheSlotButHaveNoWait) {
  const std::string text = lowered("0F0,0SEND_F0\n1F0,1RECV_F0\n");
  EXPECT_NE(text.find("forward s1 m0 read inputs[0]:input at"), std::string::npos) << text;
}

TEST(Lower, NumbersGroupsInTheOrderOfTheProgram) {
  const Result<Program> program = lowerSchedule(scheduleOf("(0F0;1F0)OVERLAP_F_B,(0B0;1B0)OVERLAP_F_B\n"));
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(program->groupCount, 2);
  EXPECT_EQ(program->instructions[0].group, GroupId(0));
  EXPECT_EQ(program->instructions[3].group, GroupId(1));
}

TEST(Lower, RefusesMessagesToNowhereWithThePlace) {
  struct Case {
    const char *text;
    std::uint32_t line, column;
  };
  const Case cases[] = {
      {"0F0,0SEND_F0\n", 1, 5},          // last stage
      {"0F0,0RECV_F0\n", 1, 5},          // first stage
      {"0F0\n1F0,1RECV_B0\n", 2, 5},     // last stage
      {"0F0,0SEND_F0\n2F0,2B0\n", 1, 5}, // stage 1 is nowhere
  };
  for (const Case &c : cases) {
    const Result<Program> program = lowerSchedule(scheduleOf(c.text));
    ASSERT_FALSE(program.ok()) << c.text;
    EXPECT_EQ(program.error().line, c.line) << c.text;
    EXPECT_EQ(program.error().column, c.column) << c.text;
  }
}

TEST(Lower, TakesAPlacementThatTheRowsBearOut) {
  const Schedule schedule = scheduleOf("0F0,3F0\n1F0,2F0\n");
  EXPECT_TRUE(lowerSchedule(schedule, vPlacement(4, 2)).ok());
  EXPECT_FALSE(lowerSchedule(schedule, loopPlacement(4, 2)).ok());
}

} // namespace
} // namespace plumbline::lower
