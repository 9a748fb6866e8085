#include "verifier/lower/parameter_turns.h"

#include "gtest/gtest.h"

namespace plumbline::lower {
namespace {

Action make(Opcode opcode, int stage, int microbatch, int group = -1) {
  Action action;
  action.opcode = opcode;
  action.stage = StageId(stage);
  action.microbatch = MicrobatchId(microbatch);
  action.group = GroupId(group);
  return action;
}

using Turns = std::vector<std::uint32_t>;

// The expectations are what PyTorch's comms files show: UNSHARD at the start, REDUCE_GRAD behind the last backward of a
// stage, RESHARD before the next cell once a stage is not used any more.
TEST(ParameterTurns, GathersStagesBeforeTheirUse) {
  const std::vector<Action> row = {make(Opcode::forward, 0, 0), make(Opcode::forward, 2, 0)};
  EXPECT_EQ(parameterTurns(row, 8), (Turns{2, 1})); // 0UNSHARD, 2UNSHARD, 0F0, 0RESHARD, 2F0
}

TEST(ParameterTurns, LooksThreeStagesAhead) {
  const std::vector<Action> row = {make(Opcode::forward, 0, 0), make(Opcode::forward, 1, 0),
                                   make(Opcode::forward, 2, 0), make(Opcode::forward, 3, 0)};
  EXPECT_EQ(parameterTurns(row, 8), (Turns{3, 2, 1, 1}));
}

TEST(ParameterTurns, ReducesBehindTheLastBackward) {
  const std::vector<Action> row = {make(Opcode::backward, 2, 0), make(Opcode::backward, 0, 0),
                                   make(Opcode::backward, 0, 1)};
  EXPECT_EQ(parameterTurns(row, 1), (Turns{2, 2, 1})); // ..., 2B0, 2REDUCE_GRAD, 2RESHARD, 0B0, 0REDUCE_GRAD, 0B1
}

TEST(ParameterTurns, CountsAnOverlappedCallAsOneCell) {
  const std::vector<Action> row = {make(Opcode::forward, 0, 0, 0), make(Opcode::backward, 3, 0, 0),
                                   make(Opcode::forward, 1, 0)};
  EXPECT_EQ(cellEnd(row, 0), 2U);
  EXPECT_EQ(cellEnd(row, 2), 3U);
  EXPECT_EQ(parameterTurns(row, 8), (Turns{3, 0, 2}));
}

TEST(ParameterTurns, AreNoneWhereTheRowHasSuchCells) {
  const std::vector<Action> row = {make(Opcode::unshard, 0, -1), make(Opcode::forward, 0, 0)};
  EXPECT_EQ(parameterTurns(row, 8), (Turns{0, 0}));
}

} // namespace
} // namespace plumbline::lower
