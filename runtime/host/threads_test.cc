// A thread for each rank: programs that end, and programs that hang, which is noticed at once and for certain.
#include "runtime/host/stuck.h"
#include "runtime/host/threads.h"

#include "verifier/ir/pir_parse.h"

#include "gtest/gtest.h"

#include <atomic>

namespace plumbline::runtime {
namespace {

Program programOf(const std::string &ranks) {
  Result<Program> program = parsePir("test.pir", "plumbline ir 1\nmode fragment\n" + ranks);
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().message);
  return std::move(*program);
}

class CountingWorker : public Worker {
public:
  std::string work(InstructionIndex instruction) override {
    ++count;
    return instruction == failing ? "it broke" : "";
  }
  std::atomic<int> count{0};
  InstructionIndex failing = none;
};

struct Ran {
  End end = End::finished;
  int worked = 0;
  std::vector<std::string> stuck;
  Failure failure;
};

Ran run(const Program &program, const model::Options &options, InstructionIndex failing = none,
        std::chrono::nanoseconds spin = {}) {
  std::string wrong;
  const Plan plan = makePlan(program, options, wrong);
  EXPECT_EQ(wrong, "");
  Effects effects;
  Machine machine(plan, effects);
  CountingWorker worker;
  worker.failing = failing;
  RankThreads threads(plan, machine, worker, spin);
  Ran ran;
  for (int again = 0; again < 20; ++again) { // the same every time
    ran.end = threads.run();
    ran.stuck = describeStuck(plan, machine);
    ran.failure = threads.failure();
  }
  ran.worked = worker.count;
  return ran;
}

const char *exchange = "rank 0 {\n  %a = compute label \"a\"\n  send_message to 1 label \"x\" wait %a\n"
                       "  %r = receive_message from 1 label \"y\"\n  compute label \"b\" wait %r\n}\n"
                       "rank 1 {\n  %r = receive_message from 0 label \"x\"\n  %c = compute label \"c\" wait %r\n"
                       "  send_message to 0 label \"y\" wait %c\n}\n";

TEST(RankThreads, Finishes) {
  for (const std::chrono::nanoseconds spin : {std::chrono::nanoseconds(0), std::chrono::nanoseconds(50'000)}) {
    const Ran ran = run(programOf(exchange), {}, none, spin);
    EXPECT_EQ(ran.end, End::finished);
    EXPECT_EQ(ran.worked, 60);
    EXPECT_TRUE(ran.stuck.empty());
  }
}

TEST(RankThreads, StuckWithEveryRanksPlace) {
  const Program program =
      programOf("rank 0 {\n  send_message to 1 label \"x\"\n  receive_message from 1 label \"y\"\n}\n"
                "rank 1 {\n  send_message to 0 label \"y\"\n  receive_message from 0 label \"x\"\n}\n");
  const Ran ran = run(program, {});
  EXPECT_EQ(ran.end, End::stuck);
  ASSERT_EQ(ran.stuck.size(), 2U);
  EXPECT_EQ(ran.stuck[0].find("test.pir:4:3: rank 0: send_message 'x'"), 0U) << ran.stuck[0];
  EXPECT_NE(ran.stuck[0].find("rank 1 does not receive"), std::string::npos) << ran.stuck[0];
  EXPECT_EQ(ran.stuck[1].find("test.pir:8:3: rank 1: send_message 'y'"), 0U) << ran.stuck[1];
  model::Options room;
  room.room = 1;
  EXPECT_EQ(run(program, room).end, End::finished);
}

TEST(RankThreads, ModelsDiffer) {
  // Two messages in one launch, received one after the other in the other order.
  const Program program = programOf(
      "communicator a\ncommunicator b\n"
      "rank 0 {\n  group {\n    send_message to 1 label \"x\" via a\n    send_message to 1 label \"y\" via b\n  }\n}\n"
      "rank 1 {\n  %y = receive_message from 0 label \"y\" via b\n"
      "  receive_message from 0 label \"x\" via a wait %y\n}\n");
  EXPECT_EQ(run(program, {}).end, End::finished);
  model::Options none, atomic, blocking;
  none.grouping = model::Grouping::none;
  none.kind = model::Kind::blocking;
  EXPECT_EQ(run(program, none).end, End::stuck);
  atomic.grouping = model::Grouping::atomic;
  EXPECT_EQ(run(program, atomic).end, End::stuck);
  blocking.kind = model::Kind::blocking;
  EXPECT_EQ(run(program, blocking).end, End::finished);
}

TEST(RankThreads, FailureNamesTheInstruction) {
  const Ran ran = run(programOf(exchange), {}, 0);
  EXPECT_EQ(ran.end, End::failed);
  EXPECT_EQ(ran.failure.instruction, 0U);
  EXPECT_EQ(ran.failure.message, "it broke");
}

} // namespace
} // namespace plumbline::runtime
