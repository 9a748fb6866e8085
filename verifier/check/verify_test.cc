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

Verification judge(const Program &program, const VerifyOptions &options = {}) {
  smt::Session session(1);
  return verify(program, options, session);
}

const Finding *find(const Verification &v, RuleId rule) {
  for (const Finding &f : v.findings)
    if (f.rule == rule)
      return &f;
  return nullptr;
}

constexpr const char *sendSend = "rank 0 {\n send_message to 1 label \"a\"\n receive_message from 1 label \"b\"\n}\n"
                                 "rank 1 {\n send_message to 0 label \"b\"\n receive_message from 0 label \"a\"\n}\n";

TEST(Verify, CycleIsShortestAndClosed) {
  const Verification v = judge(parse(sendSend));
  EXPECT_EQ(v.verdict, Verdict::rejected);
  EXPECT_FALSE(v.finishes);
  const Finding *finding = find(v, RuleId::wait_cycle);
  ASSERT_TRUE(finding);
  // Two waits and two places in queues: no shorter cycle exists between two ranks.
  ASSERT_EQ(finding->cycle.size(), 4U);
  EXPECT_EQ(finding->location.line, 4U);
}

TEST(Verify, RoomOrAGroupBreaksTheCycle) {
  VerifyOptions options;
  options.model.room = 1;
  EXPECT_EQ(judge(parse(sendSend), options).verdict, Verdict::verified);
  const Program grouped =
      parse("rank 0 {\n group {\n send_message to 1 label \"a\"\n receive_message from 1 label \"b\"\n }\n}\n"
            "rank 1 {\n group {\n send_message to 0 label \"b\"\n receive_message from 0 label \"a\"\n }\n}\n");
  EXPECT_EQ(judge(grouped).verdict, Verdict::verified);
  options.model.room = 0;
  options.model.grouping = model::Grouping::none;
  EXPECT_EQ(judge(grouped, options).verdict, Verdict::rejected);
}

TEST(Verify, EveryKnotIsAFinding) {
  std::string text;
  for (const int first : {0, 2}) // two pairs of ranks, each with a deadlock of its own
    for (const int side : {0, 1}) {
      const std::string peer = std::to_string(first + 1 - side), a = side ? "b" : "a", b = side ? "a" : "b";
      text += "rank " + std::to_string(first + side) + " {\n send_message to " + peer + " label \"" + a +
              "\"\n receive_message from " + peer + " label \"" + b + "\"\n}\n";
    }
  const Verification v = judge(parse(text));
  EXPECT_EQ(v.findings.size(), 2U);
}

TEST(Verify, FindingsBeyondTheLimitAreCounted) {
  std::string text = "execution blocking\nrank 0 {\n pool p declared 1\n";
  for (int m = 0; m < 10; ++m)
    text += " load_microbatch s0 m" + std::to_string(m) + " write p[0]:input\n";
  for (int m = 0; m < 10; ++m)
    text += " forward s0 m" + std::to_string(m) + " read p[0]:input\n";
  VerifyOptions options;
  options.model.kind = model::Kind::blocking;
  options.findingsPerRule = 4;
  const Verification v = judge(parse(text + "}\n"), options);
  EXPECT_EQ(v.verdict, Verdict::rejected);
  ASSERT_EQ(v.dropped.size(), 1U);
  EXPECT_EQ(v.dropped[0].rule, RuleId::overwritten);
  EXPECT_EQ(v.dropped[0].count, 5U); // nine overwrites, four shown
}

TEST(Verify, SpentBudgetIsNeverVerified) {
  smt::Session session(1);
  smt::Budget spent;
  spent.deadline = std::chrono::steady_clock::now();
  session.setBudget(spent);
  const Program good = parse("rank 0 {\n send_message to 1 label \"a\"\n}\nrank 1 {\n receive_message from 0 label "
                             "\"a\"\n}\n");
  const Verification v = verify(good, VerifyOptions(), session);
  EXPECT_EQ(v.verdict, Verdict::undecided);
  ASSERT_FALSE(v.undecided.empty());
  EXPECT_EQ(v.undecided.front(), "deadlock freedom, window 1 of 1: timeout");
}

// `ranks` ranks that each issue one collective on two communicators; `crossed` of them in the other order.
std::string collectives(int ranks, int crossed) {
  std::string text = "execution blocking\ncommunicator a\ncommunicator b\n";
  for (int r = 0; r < ranks; ++r) {
    const bool other = r < crossed;
    text += "rank " + std::to_string(r) + " {\n all_reduce via " + (other ? "b" : "a") + "\n all_reduce via " +
            (other ? "a" : "b") + "\n}\n";
  }
  return text;
}

TEST(Verify, CollectivesOfFewAndOfManyRanks) {
  VerifyOptions options;
  options.model.kind = model::Kind::blocking;
  for (const int ranks : {2, 16, 17, 40}) {
    EXPECT_EQ(judge(parse(collectives(ranks, 0)), options).verdict, Verdict::verified) << ranks;
    const Verification v = judge(parse(collectives(ranks, 1)), options);
    EXPECT_EQ(v.verdict, Verdict::rejected) << ranks;
    const Finding *finding = find(v, RuleId::wait_cycle);
    ASSERT_TRUE(finding) << ranks;
    // However many take part: two collectives that cannot end, and two places in queues.
    EXPECT_EQ(finding->cycle.size(), 4U) << ranks;
    EXPECT_NE(finding->message.find("ranks 0 and 1 wait"), std::string::npos) << finding->message;
    EXPECT_NE(finding->message.find("(" + std::to_string(2 * ranks) + " instructions"), std::string::npos)
        << finding->message;
  }
}

// A launch of a collective and a message, which only hangs when it is taken apart.
constexpr const char *mixedLaunch = "communicator c0\nrank 0 {\n group {\n all_reduce via c0\n"
                                    " receive_message label \"a\" via c0 from 1\n }\n}\n"
                                    "rank 1 {\n send_message label \"a\" via c0 to 0\n all_reduce via c0\n}\n";

TEST(Verify, EveryLaunchIsTakenApart) {
  VerifyOptions options;
  EXPECT_EQ(judge(parse(mixedLaunch), options).verdict, Verdict::verified);
  options.model.plan = 1;
  EXPECT_TRUE(find(judge(parse(mixedLaunch), options), RuleId::wait_cycle));
  options.model.plan = 0;
  options.model.grouping = model::Grouping::none;
  EXPECT_TRUE(find(judge(parse(mixedLaunch), options), RuleId::wait_cycle));
}

TEST(Verify, FirstUseIsAskedUnderEveryModel) {
  // Room lets each send go ahead, but connecting needs both hosts.
  const std::string text = "execution blocking\ncommunicator c room 1\n"
                           "rank 0 {\n send_message to 1 label \"a\"\n receive_message from 2 label \"c\"\n}\n"
                           "rank 1 {\n send_message to 2 label \"b\"\n receive_message from 0 label \"a\"\n}\n"
                           "rank 2 {\n send_message to 0 label \"c\"\n receive_message from 1 label \"b\"\n}\n";
  VerifyOptions options;
  options.model.kind = model::Kind::blocking;
  for (const model::Grouping grouping : {model::Grouping::given, model::Grouping::none}) {
    options.model.grouping = grouping;
    options.strict = false;
    EXPECT_EQ(judge(parse(text), options).verdict, Verdict::verified);
    options.strict = true;
    EXPECT_TRUE(find(judge(parse(text), options), RuleId::first_use));
  }
}

// A launch on two communicators, whose members come in either order.
std::string launchOnTwo(bool swapped, const std::string &before, const std::string &first, const std::string &second,
                        const std::string &after) {
  return "communicator c0\ncommunicator c1\nrank 0 {\n pool p\n" + before + " group {\n" +
         (swapped ? second + first : first + second) + " }\n" + after + "}\n";
}

TEST(Verify, ALaunchStandsInTheQueueOfEachOfItsCommunicators) {
  for (const bool swapped : {false, true}) {
    const std::string hangs =
        launchOnTwo(swapped, "", " send_message to 1 via c1 label \"l2\"\n", " send_message to 1 via c0 label \"l3\"\n",
                    " receive_message from 1 via c0 label \"l1\"\n") +
        "rank 1 {\n send_message to 0 via c0 label \"l1\"\n receive_message from 0 via c1 label \"l2\"\n"
        " receive_message from 0 via c0 label \"l3\"\n}\n";
    for (const model::Grouping grouping : {model::Grouping::given, model::Grouping::atomic}) {
      VerifyOptions options;
      options.model.grouping = grouping;
      const Verification v = judge(parse(hangs), options);
      const Finding *finding = find(v, RuleId::wait_cycle);
      ASSERT_TRUE(finding) << swapped;
      EXPECT_TRUE(llvm::any_of(finding->cycle, [](const Related &step) {
        return step.message.find("queue of communicator 'c0'") != std::string::npos;
      }));
    }
    // In the other direction, the queue orders the receive behind the send that still reads the slot.
    const std::string ordered =
        launchOnTwo(swapped,
                    " receive_message from 1 via c1 label \"x\" write p[0]:other(-, m0)\n"
                    " send_message to 1 via c1 label \"y\" read p[0]:other(-, m0)\n",
                    " send_message to 1 via c0 label \"z\"\n",
                    " receive_message from 1 via c1 label \"w\" write p[0]:other(-, m1)\n",
                    " send_message to 1 via c1 label \"v\" read p[0]:other(-, m1)\n") +
        "rank 1 {\n send_message to 0 via c1 label \"x\"\n receive_message from 0 via c1 label \"y\"\n"
        " receive_message from 0 via c0 label \"z\"\n send_message to 0 via c1 label \"w\"\n"
        " receive_message from 0 via c1 label \"v\"\n}\n";
    EXPECT_EQ(judge(parse(ordered)).verdict, Verdict::verified) << swapped;
  }
}

TEST(Verify, HazardOfSomeExecutionsOnly) {
  // The receive may overwrite what the computation still reads: nothing orders them.
  const Program racing = parse("rank 0 {\n pool p declared 1\n load_microbatch s0 m0 write p[0]:input\n"
                               " %used = forward s0 m0 read p[0]:input\n"
                               " receive_activation s1 m1 from 1 write p[0]:input\n}\n"
                               "rank 1 {\n send_activation s0 m1 to 0\n}\n");
  const Verification v = judge(racing);
  const Finding *finding = find(v, RuleId::overwritten);
  ASSERT_TRUE(finding);
  EXPECT_NE(finding->message.find("may overwrite"), std::string::npos);
  ASSERT_EQ(v.slots.size(), 1U);
  EXPECT_EQ(v.slots[0].least, 2);
  EXPECT_TRUE(find(v, RuleId::too_few_slots));
}

TEST(Verify, LeastSlotsWhereLivesEndInSeveralLanes) {
  // Two values, each read by a computation and a send on its own communicator; nothing says that a send has ended
  // before the next value is written, so each needs a slot.
  std::string text = "communicator a\ncommunicator b\nrank 0 {\n pool p\n";
  for (const char *m : {"0", "1"})
    text += std::string(" %f") + m + " = forward s0 m" + m + " write p[" + m + "]:output\n backward s0 m" + m +
            " read p[" + m + "]:output\n send_activation s0 m" + m + " to 1 via " + (*m == '0' ? "a" : "b") +
            " wait %f" + m + " read p[" + m + "]:output\n";
  text += "}\nrank 1 {\n receive_activation s1 m0 from 0 via a\n receive_activation s1 m1 from 0 via b\n}\n";
  const Verification v = judge(parse(text));
  ASSERT_EQ(v.slots.size(), 1U);
  EXPECT_EQ(v.slots[0].least, 2);
  EXPECT_EQ(v.slots[0].witness.size(), 2U);
}

} // namespace
} // namespace plumbline::check
