#include "tests/differential/any_streams.h"

#include "tests/differential/cells.h"
#include "tests/differential/executor.h"

#include "gtest/gtest.h"

namespace plumbline::oracle {
namespace {

using model::Options;

TEST(AnyStreams, ReceivesPostedEarlyMayHoldTheDevice) {
  // Each rank posts its receive first, on a communicator of its own: fine where streams are independent.
  const std::vector<std::string> early = {"0RECV_B0,0F0,0SEND_F0", "1RECV_F0,1F0,1SEND_B0"};
  const Program p = programOfCells(early, CellComms::directed);
  EXPECT_FALSE(hangs(p, Options()));
  EXPECT_EQ(streamsAnyHangs(p, Options()), true);
  EXPECT_EQ(streamsAnyHangsExhaustive(p, Options()), true);
}

TEST(AnyStreams, PlainOrderIsSafe) {
  const Program p = programOfCells({"0F0,0SEND_F0,0RECV_B0,0B0", "1RECV_F0,1F0,1B0,1SEND_B0"});
  EXPECT_EQ(streamsAnyHangs(p, Options()), false);
  EXPECT_EQ(streamsAnyHangsExhaustive(p, Options()), false);
}

TEST(AnyStreams, SendAndReceiveOfTheDevicesMayBeginCrosswise) {
  // Independent of one another, so each device may take either first.
  const Program p = programOfCells({"0SEND_F0,0RECV_B0", "1RECV_F0,1SEND_B0"}, CellComms::directed);
  EXPECT_FALSE(hangs(p, Options()));
  EXPECT_EQ(streamsAnyHangs(p, Options()), true);
  EXPECT_EQ(streamsAnyHangs(programOfCells({"0SEND_F0;0RECV_B0", "1RECV_F0;1SEND_B0"}), Options()), false);
}

TEST(AnyStreams, WhatHangsAnywayHangs) {
  const Program p = programOfCells({"0SEND_F0,0RECV_B0", "1SEND_B0,1RECV_F0"});
  EXPECT_EQ(streamsAnyHangs(p, Options()), true);
}

TEST(AnyStreams, GivesUpBeyondTheCap) {
  const Program p = programOfCells({"0F0,0SEND_F0,0RECV_B0,0B0", "1RECV_F0,1F0,1B0,1SEND_B0"});
  EXPECT_EQ(streamsAnyHangsExhaustive(p, Options(), 2), std::nullopt);
}

} // namespace
} // namespace plumbline::oracle
