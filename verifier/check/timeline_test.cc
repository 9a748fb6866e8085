#include "verifier/check/timeline.h"

#include "verifier/check/verify.h"
#include "verifier/ir/pir_parse.h"

#include "llvm/ADT/STLExtras.h"

#include "gtest/gtest.h"

namespace plumbline::check {
namespace {

Program parse(const std::string &text) {
  Result<Program> program = parsePir("test.pir", "plumbline ir 1\nmode fragment\n" + text);
  EXPECT_TRUE(program.ok()) << program.error().line << ": " << program.error().message;
  return *program;
}

// Times of instruction k as "begin-end".
std::string spanOf(const Timeline &timeline, std::size_t k) {
  return std::to_string(timeline.begin[k]) + "-" + std::to_string(timeline.end[k]);
}

std::vector<std::string> spansOf(const Timeline &timeline) {
  std::vector<std::string> spans;
  for (std::size_t k = 0; k < timeline.begin.size(); ++k)
    spans.push_back(spanOf(timeline, k));
  return spans;
}

using Spans = std::vector<std::string>;

constexpr const char *pipeline = R"(
rank 0 {
  pool outputs
  %f = forward s0 m0 write outputs[0]:output
  send_activation s0 m0 to 1 read outputs[0]:output wait %f
  forward s0 m1 write outputs[1]:output
}
rank 1 {
  pool inputs
  %a = receive_activation s1 m0 from 0 write inputs[0]:input
  forward s1 m0 read inputs[0]:input wait %a
}
)";

TEST(Timeline, EverythingIsAsEarlyAsTheModelAllows) {
  const Program program = parse(pipeline);
  const Timeline timeline = timelineOf(program, {}, model::unitCosts(), {});
  EXPECT_EQ(spansOf(timeline), (Spans{"0-1", "1-1", "1-2", "0-1", "1-2"}));
  EXPECT_EQ(timeline.makespan, 2);
  ASSERT_TRUE(timeline.bubble);
  EXPECT_EQ(timeline.bubble->idle, 1U);
  EXPECT_EQ(timeline.bubble->busy, (std::vector<std::uint64_t>{2, 1}));
}

TEST(Timeline, AMessageTakesItsTimeOnceBothEndsHaveBegun) {
  const Program program = parse(pipeline);
  model::Costs costs = model::unitCosts();
  for (const Opcode opcode : {Opcode::send_activation, Opcode::receive_activation})
    costs.of[static_cast<std::size_t>(opcode)] = 5;
  const Timeline timeline = timelineOf(program, {}, costs, {});
  EXPECT_EQ(spansOf(timeline), (Spans{"0-1", "1-6", "1-2", "0-6", "6-7"}));
}

TEST(Timeline, UnderTheBlockingModelARankHasOneLane) {
  const Program program = parse(pipeline);
  model::Options blocking;
  blocking.kind = model::Kind::blocking;
  EXPECT_EQ(timelineOf(program, blocking, model::unitCosts(), {}).lanes.size(), 2U);
  const Timeline nccl = timelineOf(program, {}, model::unitCosts(), {});
  ASSERT_EQ(nccl.lanes.size(), 4U);
  EXPECT_EQ(nccl.laneOf[0], nccl.laneOf[2]);
  EXPECT_NE(nccl.laneOf[0], nccl.laneOf[1]);
  EXPECT_FALSE(nccl.lanes[nccl.laneOf[0]].communicator.valid());
  EXPECT_EQ(nccl.lanes[nccl.laneOf[4]].rank, RankId(1));
}

TEST(Timeline, WhatHangsHasBegunAndDoesNotEnd) {
  const Program program = parse("rank 0 {\n send_message to 1 label \"a\"\n receive_message from 1 label \"b\"\n}\n"
                                "rank 1 {\n send_message to 0 label \"b\"\n receive_message from 0 label \"a\"\n}\n");
  const Timeline timeline = timelineOf(program, {}, model::unitCosts(), {});
  EXPECT_EQ(spansOf(timeline), (Spans{"0--1", "-1--1", "0--1", "-1--1"}));
  EXPECT_FALSE(timeline.bubble);
  EXPECT_EQ(timeline.partner[0], InstructionId(3));
}

TEST(Timeline, BothEndsOfAMessageThatDoNotFitEndTogether) {
  const Program program = parse("rank 0 {\n send_activation s0 m0 to 1\n}\n"
                                "rank 1 {\n receive_gradient s0 m0 from 0\n}\n");
  model::Costs costs;
  costs.of[static_cast<std::size_t>(Opcode::send_activation)] = 3;
  EXPECT_EQ(spansOf(timelineOf(program, {}, costs, {})), (Spans{"0-3", "0-3"}));
}

TEST(Timeline, AValueIsOpenWhileWhatNeverBeginsHasToReadIt) {
  const Program program = parse("rank 0 {\n pool p\n %f = forward s0 m0 write p[0]:output\n"
                                " compute s0 m0 read p[0]:output\n %r = receive_gradient s0 m0 from 1\n"
                                " backward s0 m0 read p[0]:output wait %r\n}\nrank 1 {\n forward s1 m0\n}\n");
  const Timeline timeline = timelineOf(program, {}, model::unitCosts(), {});
  ASSERT_EQ(timeline.lives.size(), 1U);
  EXPECT_TRUE(timeline.lives[0].open);
}

TEST(Timeline, MembersOfAnOverlapRunOneAfterAnother) {
  const Program program = parse("rank 0 {\n group {\n  forward s0 m1\n  backward s0 m0\n }\n forward s0 m2\n}\n");
  EXPECT_EQ(spansOf(timelineOf(program, {}, model::unitCosts(), {})), (Spans{"0-1", "1-3", "3-4"}));
}

TEST(Timeline, LivesEndWithTheirLastUse) {
  const Program program = parse(pipeline);
  smt::Session session(1);
  const Verification v = verify(program, {}, session);
  const Timeline timeline = timelineOf(program, {}, model::unitCosts(), v.slots);
  ASSERT_EQ(timeline.lives.size(), 3U);
  const Timeline::Life &sent = timeline.lives[0], &unread = timeline.lives[1], &used = timeline.lives[2];
  EXPECT_EQ(sent.birth, InstructionId(0));
  EXPECT_EQ(sent.last, InstructionId(1));
  EXPECT_FALSE(sent.open);
  EXPECT_TRUE(unread.open);
  EXPECT_EQ(used.birth, InstructionId(3));
  EXPECT_EQ(used.last, InstructionId(4));
  // As many values that live together as the least number says, and each in a slot below it.
  for (const SlotCount &count : v.slots) {
    const auto ofPool = [&](const Timeline::Life &life) { return life.pool == count.pool; };
    EXPECT_EQ(llvm::count_if(timeline.lives, [&](const auto &life) { return ofPool(life) && life.witness; }),
              count.least);
    EXPECT_TRUE(
        llvm::all_of(timeline.lives, [&](const auto &life) { return !ofPool(life) || life.leastSlot < count.least; }));
  }
}

} // namespace
} // namespace plumbline::check
