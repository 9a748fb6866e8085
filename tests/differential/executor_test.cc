#include "tests/differential/executor.h"

#include "tests/differential/cells.h"
#include "verifier/ir/builder.h"

#include "gtest/gtest.h"

namespace plumbline::oracle {
namespace {

using model::Options;

template <typename Change> Options with(Change change) {
  Options o;
  change(o);
  return o;
}

// Two ranks that both send first and receive then; the messages are called activations only to have a name.
Program sendSend(bool grouped) {
  const char *between = grouped ? ";" : ",";
  return programOfCells(
      {std::string("0SEND_F0") + between + "0RECV_B0", std::string("1SEND_B0") + between + "1RECV_F0"});
}

Instruction message(Opcode opcode, int peer, std::uint64_t bytes = 0) {
  Instruction i;
  i.opcode = opcode;
  i.peer = RankId(peer);
  i.communicator = CommunicatorId(0);
  i.bytes = bytes;
  return i;
}

// Rank 0 sends messages of these sizes and then raises a flag on a second communicator; rank 1 receives only after it.
Program sendsBeforeReceives(const std::vector<std::uint64_t> &sizes) {
  ProgramBuilder b;
  b.addCommunicator({"data", {}, -1});
  b.addCommunicator({"flag", {}, -1});
  b.beginRank();
  llvm::SmallVector<InstructionId> sends;
  for (const std::uint64_t size : sizes)
    sends.push_back(b.append(message(Opcode::send_message, 1, size)));
  Instruction flag;
  flag.opcode = Opcode::all_reduce;
  flag.communicator = CommunicatorId(1);
  b.append(flag, {}, sends);
  b.beginRank();
  const InstructionId raised = b.append(flag);
  for (const std::uint64_t size : sizes)
    b.append(message(Opcode::receive_message, 0, size), {}, {raised});
  return std::move(b).take();
}

Instruction collective(Opcode opcode) {
  Instruction i;
  i.opcode = opcode;
  i.peer = RankId(0);
  i.communicator = CommunicatorId(0);
  return i;
}

TEST(Executor, EmptyProgramFinishes) { EXPECT_FALSE(hangs(Program(), Options())); }

TEST(Executor, TwoSendsThatMeetNeedRoomOrAGroup) {
  std::vector<InstructionId> stuck;
  EXPECT_TRUE(hangs(sendSend(false), Options(), &stuck));
  EXPECT_EQ(stuck.size(), 4U);
  EXPECT_FALSE(hangs(sendSend(false), with([](Options &o) { o.room = 1; })));
  EXPECT_FALSE(hangs(sendSend(true), Options()));
  EXPECT_TRUE(hangs(sendSend(true), with([](Options &o) { o.grouping = model::Grouping::none; })));
  EXPECT_TRUE(hangs(sendSend(true), with([](Options &o) { o.plan = 1; })));
  EXPECT_FALSE(hangs(sendSend(true), with([](Options &o) { o.kind = model::Kind::blocking; })));
}

TEST(Executor, TwoReceivesThatMeetHangWithAnyRoom) {
  const Program p = programOfCells({"0RECV_B0,0SEND_F0", "1RECV_F0,1SEND_B0"});
  EXPECT_TRUE(hangs(p, Options()));
  EXPECT_TRUE(hangs(p, with([](Options &o) { o.room = 9; })));
}

TEST(Executor, DirectedCommunicatorsPartTheTwo) {
  const std::vector<std::string> rows = {"0RECV_B0,0SEND_F0", "1RECV_F0,1SEND_B0"};
  EXPECT_TRUE(hangs(programOfCells(rows, CellComms::pair), Options()));
  EXPECT_FALSE(hangs(programOfCells(rows, CellComms::directed), Options()));
  const Options group = with([](Options &o) { o.wait = model::Wait::group; });
  EXPECT_TRUE(hangs(programOfCells(rows, CellComms::directed), group));
  const Options blocking = with([](Options &o) { o.kind = model::Kind::blocking; });
  EXPECT_TRUE(hangs(programOfCells(rows, CellComms::directed), blocking));
}

TEST(Executor, ReceiveWithoutAMessageHoldsUpWhatFollows) {
  const Program p = programOfCells({"0F0,0SEND_F0", "1RECV_F0,1RECV_F1,1F0,1F1"});
  const Outcome outcome = simulate(p, Options());
  EXPECT_EQ(outcome.ended, (std::vector<std::uint8_t>{1, 1, 1, 0, 1, 0}));
  EXPECT_GE(outcome.begin[3], 0);
  EXPECT_LT(outcome.begin[5], 0);
  EXPECT_TRUE(hangs(p, with([](Options &o) { o.room = 2; })));
}

TEST(Executor, SendWithoutAReceiveEndsIfThereIsRoom) {
  const Program p = programOfCells({"0SEND_F0,0SEND_F1", "1F0"});
  std::vector<InstructionId> stuck;
  EXPECT_TRUE(hangs(p, with([](Options &o) { o.room = 1; }), &stuck));
  EXPECT_EQ(stuck, std::vector<InstructionId>{InstructionId(1)});
  EXPECT_FALSE(hangs(p, with([](Options &o) { o.room = 2; })));
  EXPECT_TRUE(hangs(p, with([](Options &o) { o.room = 2, o.grouping = model::Grouping::atomic; })));
}

TEST(Executor, RoomOfTheCommunicatorGoesBeforeTheModels) {
  Program p = sendSend(false);
  p.communicators[0].room = 0;
  EXPECT_TRUE(hangs(p, with([](Options &o) { o.room = 1; })));
  p.communicators[0].room = 1;
  EXPECT_FALSE(hangs(p, Options()));
}

TEST(Executor, RoomCountsMessages) {
  const Program p = sendsBeforeReceives({8, 8, 8});
  EXPECT_TRUE(hangs(p, with([](Options &o) { o.room = 2; })));
  EXPECT_FALSE(hangs(p, with([](Options &o) { o.room = 3; })));
}

TEST(Executor, RoomCountsBytes) {
  const auto bytes = [](std::int64_t n) { return with([n](Options &o) { o.room = 9, o.roomBytes = n; }); };
  EXPECT_TRUE(hangs(sendsBeforeReceives({8, 8, 8}), bytes(23)));
  EXPECT_FALSE(hangs(sendsBeforeReceives({8, 8, 8}), bytes(24)));
  EXPECT_TRUE(hangs(sendsBeforeReceives({25}), bytes(24)));
  EXPECT_TRUE(hangs(sendsBeforeReceives({0}), bytes(24))) << "a message of unknown size may be too large";
}

TEST(Executor, RoomInBytesCountsForBlockingEnginesToo) {
  const auto bytes = [](std::int64_t n) {
    return with([n](Options &o) { o.kind = model::Kind::blocking, o.roomBytes = n; });
  };
  EXPECT_TRUE(hangs(sendsBeforeReceives({8, 8}), bytes(15)));
  EXPECT_FALSE(hangs(sendsBeforeReceives({8, 8}), bytes(16)));
}

TEST(Executor, EagerLimitCountsEachMessage) {
  const Options o = with([](Options &m) { m.kind = model::Kind::mpi, m.roomBytes = 8; });
  EXPECT_FALSE(hangs(sendsBeforeReceives({8, 8, 8}), o));
  EXPECT_TRUE(hangs(sendsBeforeReceives({8, 9, 8}), o));
  EXPECT_TRUE(hangs(sendsBeforeReceives({0}), o));
  EXPECT_FALSE(hangs(sendsBeforeReceives({9}), with([](Options &m) { m.kind = model::Kind::mpi, m.room = 1; })));
}

TEST(Executor, CollectiveNeedsEveryMember) {
  ProgramBuilder b;
  b.addCommunicator({"all", {RankId(0), RankId(1)}, -1});
  b.beginRank();
  b.append(collective(Opcode::broadcast));
  b.append(collective(Opcode::all_reduce));
  b.beginRank();
  b.append(collective(Opcode::all_reduce));
  std::vector<InstructionId> stuck;
  EXPECT_TRUE(hangs(std::move(b).take(), Options(), &stuck));
  EXPECT_EQ(stuck, std::vector<InstructionId>{InstructionId(1)}) << "the first ones meet, whatever they are";
}

TEST(Executor, CollectiveOfNamedMembersWaitsForASilentOne) {
  ProgramBuilder b;
  b.addCommunicator({"all", {RankId(0), RankId(1), RankId(2)}, -1});
  for (int r = 0; r < 3; ++r) {
    b.beginRank();
    if (r < 2)
      b.append(collective(Opcode::unshard));
  }
  Program p = std::move(b).take();
  EXPECT_TRUE(hangs(p, Options()));
  p.communicators[0].members.clear();
  EXPECT_TRUE(hangs(p, Options())) << "without names every rank is a member";
  p.communicators[0].members = {RankId(0), RankId(1)};
  EXPECT_FALSE(hangs(p, Options()));
}

TEST(Executor, ReductionWithoutCommunicatorIsComputing) {
  ProgramBuilder b;
  b.beginRank();
  Instruction i = collective(Opcode::reduce_gradients);
  i.communicator = CommunicatorId();
  b.append(i);
  EXPECT_FALSE(hangs(std::move(b).take(), Options()));
}

// As PiPPy#969: rank 0 sends to 1 and 2 in one launch, rank 2 receives from 0 and 1 in one.
TEST(Executor, AtomicGroupsWaitForAllTheyAreConnectedTo) {
  ProgramBuilder b;
  b.addCommunicator({"all", {}, -1});
  const GroupId sends = b.newGroup();
  const GroupId receives = b.newGroup();
  const auto append = [&](Opcode opcode, int peer, GroupId group, llvm::ArrayRef<InstructionId> waits) {
    Instruction i = message(opcode, peer);
    i.group = group;
    return b.append(i, {}, waits);
  };
  b.beginRank();
  append(Opcode::send_message, 1, sends, {});
  append(Opcode::send_message, 2, sends, {});
  b.beginRank();
  const InstructionId received = append(Opcode::receive_message, 0, GroupId(), {});
  const InstructionId computed = b.append(Instruction(), {}, {received});
  append(Opcode::send_message, 2, GroupId(), {computed});
  b.beginRank();
  append(Opcode::receive_message, 0, receives, {});
  append(Opcode::receive_message, 1, receives, {});
  const Program p = std::move(b).take();
  ASSERT_EQ(validate(p), "");
  EXPECT_FALSE(hangs(p, Options()));
  EXPECT_TRUE(hangs(p, with([](Options &o) { o.grouping = model::Grouping::atomic; })));
  EXPECT_TRUE(hangs(p, with([](Options &o) { o.grouping = model::Grouping::atomic, o.room = 2; })));
}

// The orders of Megatron-LM#5240 and of its repair.
TEST(Executor, ConnectionsMadeOnFirstUseCloseARing) {
  const std::string rank1 = "1RECV_F0,1F0,1SEND_F0,4RECV_F0,4F0,4SEND_F0,4RECV_B0,4B0,4SEND_B0,1RECV_B0,1B0,1SEND_B0";
  const std::string rank2 = "2RECV_F0,2F0,2SEND_F0,5RECV_F0,5F0,5B0,5SEND_B0,2RECV_B0,2B0,2SEND_B0";
  const std::string receiveFirst = "0F0,3RECV_F0,0SEND_F0,3F0,3SEND_F0,3RECV_B0,3B0,3SEND_B0,0RECV_B0,0B0";
  const std::string sendFirst = "0F0,0SEND_F0,3RECV_F0,3F0,3SEND_F0,3RECV_B0,3B0,3SEND_B0,0RECV_B0,0B0";
  const Program bad = programOfCells({receiveFirst, rank1, rank2}, CellComms::pair);
  const Program good = programOfCells({sendFirst, rank1, rank2}, CellComms::pair);
  const Options firstUse = with([](Options &o) { o.connect = model::Connect::firstUse; });
  EXPECT_FALSE(hangs(bad, Options()));
  EXPECT_TRUE(hangs(bad, firstUse));
  EXPECT_FALSE(hangs(good, firstUse));
  EXPECT_TRUE(hangs(programOfCells({receiveFirst, rank1, rank2}), Options())) << "one communicator for all";
  EXPECT_FALSE(hangs(programOfCells({sendFirst, rank1, rank2}), firstUse));
}

TEST(Executor, FirstUseWithoutAPartnerNeverConnects) {
  const Program p = programOfCells({"0SEND_F0,0F1", "1F0"});
  const Options eager = with([](Options &o) { o.room = 1, o.connect = model::Connect::firstUse; });
  EXPECT_FALSE(hangs(p, with([](Options &o) { o.room = 1; })));
  std::vector<InstructionId> stuck;
  EXPECT_TRUE(hangs(p, eager, &stuck));
  EXPECT_EQ(stuck.size(), 2U) << "the host issues nothing more on that rank";
}

// The launches of pytorch#174288 and of its repair.
TEST(Executor, CutLaunchesMayMissEachOther) {
  const std::string rank0 = "0F0,0F1,0SEND_F0;0SEND_F1,0F2,0F3,0SEND_F2;0SEND_F3;0RECV_B0;0RECV_B1,0B0,0B1,"
                            "0RECV_B2;0RECV_B3,0B2,0B3";
  const std::string rank1 = "1RECV_F0;1RECV_F1,1F0,1F1,1B0,1B1,";
  const std::string rest = ",1F2,1F3,1B2,1B3,1SEND_B2;1SEND_B3";
  const Program bad = programOfCells({rank0, rank1 + "1SEND_B0;1SEND_B1;1RECV_F2;1RECV_F3" + rest});
  const Program good = programOfCells({rank0, rank1 + "1RECV_F2;1RECV_F3;1SEND_B0;1SEND_B1" + rest});
  for (const int plan : {0, 4})
    EXPECT_FALSE(hangs(bad, with([&](Options &o) { o.plan = plan; })));
  for (const int plan : {1, 2, 3})
    EXPECT_TRUE(hangs(bad, with([&](Options &o) { o.plan = plan; })));
  EXPECT_FALSE(hangs(good, with([](Options &o) { o.plan = 2; })));
}

TEST(Executor, PlansCutNoOverlapOfComputing) {
  const Program p = programOfCells({"0F0;0B1;0F2"});
  for (const auto grouping : {model::Grouping::given, model::Grouping::none, model::Grouping::atomic}) {
    const Outcome outcome = simulate(p, with([&](Options &o) { o.plan = 1, o.grouping = grouping; }));
    EXPECT_EQ(outcome.begin[0], outcome.begin[2]);
  }
}

TEST(Executor, WithheldEventsHoldUpWhatComesAfterThem) {
  const Program p = programOfCells({"0F0,0SEND_F0,0F1", "1RECV_F0,1F0"});
  const Outcome completion = simulate(p, Options(), {-1, 1});
  EXPECT_EQ(completion.ended, (std::vector<std::uint8_t>{1, 0, 1, 1, 1}));
  const Outcome begin = simulate(p, Options(), {1, -1});
  EXPECT_EQ(begin.ended, (std::vector<std::uint8_t>{1, 0, 1, 0, 0}));
}

} // namespace
} // namespace plumbline::oracle
