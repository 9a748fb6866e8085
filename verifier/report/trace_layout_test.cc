#include "verifier/report/trace_layout.h"

#include "gtest/gtest.h"

namespace plumbline::report {
namespace {

// A timeline by hand: instructions of some ranks, each in a lane, with times in units.
class Step {
public:
  explicit Step(std::int32_t lanes) {
    for (std::int32_t lane = 0; lane < lanes; ++lane)
      timeline.lanes.push_back({RankId(lane), CommunicatorId(0)});
  }

  InstructionId add(std::uint32_t lane, Opcode opcode, std::int64_t begin, std::int64_t end, int group = -1) {
    Instruction i;
    i.opcode = opcode;
    i.rank = timeline.lanes[lane].rank;
    i.group = GroupId(group);
    i.communicator = isPointToPoint(opcode) ? CommunicatorId(0) : CommunicatorId();
    program.instructions.push_back(i);
    timeline.begin.push_back(begin);
    timeline.end.push_back(end);
    timeline.makespan = std::max({timeline.makespan, begin, end});
    timeline.laneOf.push_back(lane);
    timeline.partner.emplace_back();
    return InstructionId(static_cast<std::int32_t>(program.instructions.size()) - 1);
  }

  void match(InstructionId send, InstructionId receive) {
    timeline.partner[static_cast<std::size_t>(send.value())] = receive;
    timeline.partner[static_cast<std::size_t>(receive.value())] = send;
  }

  // "begin-end" of each, in microseconds.
  std::vector<std::string> bars() const {
    const TraceLayout layout = layOut(program, timeline);
    std::vector<std::string> result;
    for (std::size_t k = 0; k < program.instructions.size(); ++k)
      result.push_back(std::to_string(layout.begin[k]) + "-" + std::to_string(layout.end[k]));
    return result;
  }

  Program program;
  check::Timeline timeline;
};

using Bars = std::vector<std::string>;

TEST(TraceLayout, AUnitIsAMillisecond) {
  Step step(1);
  step.add(0, Opcode::forward, 0, 1);
  step.add(0, Opcode::backward, 3, 5);
  EXPECT_EQ(step.bars(), (Bars{"0-1000", "3000-5000"}));
}

TEST(TraceLayout, TicksAreRoundedDown) {
  model::Costs costs;
  costs.ticksPerUnit = 3;
  EXPECT_EQ(inMicroseconds(3, costs), 1000);
  EXPECT_EQ(inMicroseconds(4, costs), 1333);
  EXPECT_EQ(inMicroseconds(5, costs), 1666);
  costs.ticksPerUnit = 1000;
  EXPECT_EQ(inMicroseconds(2'000'000'000'000'000, costs), 2'000'000'000'000'000); // more than there can be
}

TEST(TraceLayout, WhatTakesNoTimeIsSeen) {
  Step step(1);
  step.add(0, Opcode::load_microbatch, 0, 0);
  step.add(0, Opcode::load_microbatch, 0, 0);
  step.add(0, Opcode::forward, 0, 1);
  step.add(0, Opcode::forward, 1, 2); // on time again
  EXPECT_EQ(step.bars(), (Bars{"0-10", "10-20", "20-1000", "1000-2000"}));
}

TEST(TraceLayout, AReceiveEndsBehindTheBeginOfItsSend) {
  Step step(2);
  for (int k = 0; k < 3; ++k)
    step.add(1, Opcode::load_microbatch, 0, 0);
  const InstructionId receive = step.add(0, Opcode::receive_activation, 0, 0);
  const InstructionId send = step.add(1, Opcode::send_activation, 0, 0);
  step.match(send, receive);
  step.add(0, Opcode::forward, 0, 1);
  EXPECT_EQ(step.bars(), (Bars{"0-10", "10-20", "20-30", "0-40", "30-40", "40-1000"}));
}

TEST(TraceLayout, MembersOfALaunchLieWithinEachOther) {
  Step step(2);
  const InstructionId there = step.add(0, Opcode::send_activation, 0, 2, 0);
  const InstructionId back = step.add(0, Opcode::receive_gradient, 0, 5, 0);
  step.add(0, Opcode::send_activation, 5, 5);
  const InstructionId receive = step.add(1, Opcode::receive_activation, 0, 2, 1);
  const InstructionId send = step.add(1, Opcode::send_gradient, 0, 5, 1);
  step.match(there, receive);
  step.match(send, back);
  EXPECT_EQ(step.bars(), (Bars{"1-2000", "0-5000", "5000-5010", "1-2000", "0-5000"}));
}

TEST(TraceLayout, EqualMembersToo) {
  Step step(1);
  for (int k = 0; k < 3; ++k)
    step.add(0, Opcode::send_message, 1, 1, 0);
  EXPECT_EQ(step.bars(), (Bars{"1000-1014", "1001-1013", "1002-1012"}));
}

TEST(TraceLayout, ExchangesThatCrossDoNotWaitForEachOther) {
  Step step(2);
  const InstructionId receive = step.add(0, Opcode::receive_message, 0, 0, 0);
  const InstructionId send = step.add(0, Opcode::send_message, 0, 0, 0);
  const InstructionId otherReceive = step.add(1, Opcode::receive_message, 0, 0, 1);
  const InstructionId otherSend = step.add(1, Opcode::send_message, 0, 0, 1);
  step.match(send, otherReceive);
  step.match(otherSend, receive);
  EXPECT_EQ(step.bars(), (Bars{"0-12", "1-11", "0-12", "1-11"}));
}

TEST(TraceLayout, WhatNeverEndsIsABarToTheEnd) {
  Step step(2);
  step.add(0, Opcode::forward, 0, 1);
  step.add(1, Opcode::receive_activation, 0, -1);
  step.add(0, Opcode::receive_gradient, 1, -1);
  step.add(0, Opcode::backward, -1, -1); // never begins
  EXPECT_EQ(step.bars(), (Bars{"0-1000", "0-2010", "1000-2010", "-1--1"}));
  const TraceLayout layout = layOut(step.program, step.timeline);
  EXPECT_EQ(layout.lanes[0].size(), 2U);
}

} // namespace
} // namespace plumbline::report
