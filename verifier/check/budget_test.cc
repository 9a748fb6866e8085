#include "verifier/check/verify.h"

#include "verifier/frontend/frontend.h"
#include "verifier/ir/pir_parse.h"
#include "verifier/lower/communicators.h"
#include "verifier/lower/lower.h"

#include "llvm/ADT/STLExtras.h"

#include "gtest/gtest.h"

namespace plumbline::check {
namespace {

// PyTorch's CSV without communication, judged as --model nccl --comms directed.
Program fromCsv(const std::string &text) {
  Result<frontend::Input> input = frontend::read({"test.csv", text}, std::nullopt, frontend::Format::pytorch_csv);
  EXPECT_TRUE(input.ok()) << input.error().message;
  Result<Program> program = lower::lowerSchedule(std::get<Schedule>(input->content), std::nullopt);
  EXPECT_TRUE(program.ok()) << program.error().message;
  lower::setCommunicators(*program, lower::Communicators::directed);
  return *program;
}

Program fromPir(const std::string &text) {
  Result<Program> program = parsePir("test.pir", "plumbline ir 1\nmode fragment\n" + text);
  EXPECT_TRUE(program.ok()) << program.error().line << ": " << program.error().message;
  return *program;
}

// Every stage on a rank of its own: all forward passes, then all backward passes.
std::string gpipe(int stages, int microbatches) {
  std::string text;
  for (int s = 0; s < stages; ++s) {
    for (const char *work : {"F", "B"})
      for (int m = 0; m < microbatches; ++m)
        text += std::to_string(s) + work + std::to_string(m) + ",";
    text.back() = '\n';
  }
  return text;
}

VerifyOptions mostBubble(std::uint64_t parts, std::uint64_t whole) {
  VerifyOptions options;
  options.limits.bubble = Share{parts, whole, std::to_string(parts) + "/" + std::to_string(whole)};
  return options;
}

VerifyOptions mostSlots(const std::vector<SlotLimit> &limits) {
  VerifyOptions options;
  options.limits.slots = limits;
  return options;
}

Verification judge(const Program &program, const VerifyOptions &options) {
  smt::Session session(1);
  return verify(program, options, session);
}

std::vector<const Finding *> findingsOf(const Verification &v, RuleId rule) {
  std::vector<const Finding *> found;
  for (const Finding &f : v.findings)
    if (f.rule == rule)
      found.push_back(&f);
  return found;
}

TEST(Bubble, OfGPipeIsExact) {
  for (const int stages : {1, 2, 3, 4, 8})
    for (const int microbatches : {1, 2, 5, 8}) {
      const auto warmUp = static_cast<std::uint64_t>(stages - 1), steps = warmUp + static_cast<unsigned>(microbatches);
      const Program program = fromCsv(gpipe(stages, microbatches));
      const Verification met = judge(program, mostBubble(warmUp, steps));
      EXPECT_EQ(met.verdict, Verdict::verified) << stages << ' ' << microbatches;
      ASSERT_TRUE(met.bubble);
      EXPECT_EQ(met.bubble->makespan, 3 * steps); // forward 1, backward 2
      EXPECT_EQ(met.bubble->total, 3 * steps * static_cast<unsigned>(stages));
      EXPECT_EQ(met.bubble->idle * steps, warmUp * met.bubble->total);
    }
}

TEST(Bubble, JustMissedIsRejected) {
  constexpr std::uint64_t most = 1'000'000'000'000'000'000; // 3/11 lies between two of its parts
  const Program program = fromCsv(gpipe(4, 8));
  EXPECT_EQ(judge(program, mostBubble(272'727'272'727'272'728, most)).verdict, Verdict::verified);
  const Verification missed = judge(program, mostBubble(272'727'272'727'272'727, most));
  EXPECT_EQ(missed.verdict, Verdict::rejected);
  ASSERT_EQ(missed.findings.size(), 1U);
  const Finding &finding = missed.findings.front();
  EXPECT_EQ(finding.rule, RuleId::bubble_over_limit);
  for (const char *part : {"27.27%", "272727272727272727/1000000000000000000 allowed", "of 132 units", "36 are idle",
                           "rank 0 idles most, for 9 of 33"})
    EXPECT_NE(finding.message.find(part), std::string::npos) << finding.message;
  EXPECT_EQ(finding.rank, RankId(0));
  EXPECT_TRUE(finding.location.valid());
  ASSERT_EQ(finding.related.size(), 1U); // between its forward and its backward passes
  EXPECT_EQ(finding.related[0].message, "rank 0 idles longest before this: from time 8 to 17");
}

TEST(Bubble, HalvesAndRecomputationCountOneEach) {
  const Program program =
      fromPir("rank 0 {\n forward s0 m0\n recompute s0 m0\n backward_input s0 m0\n backward_weight s0 m0\n"
              " forward s0 m1\n backward s0 m1\n compute label \"x\"\n optimizer_step\n}\n");
  const Verification v = judge(program, mostBubble(0, 1));
  EXPECT_EQ(v.verdict, Verdict::verified);
  EXPECT_EQ(v.bubble->makespan, 7U);
  EXPECT_EQ(v.bubble->idle, 0U);
}

TEST(Bubble, AnOverlapTakesAsLongAsItsMembersTogether) {
  const Program program = fromPir("rank 0 {\n group {\n forward s0 m0\n backward s0 m1\n }\n}\nrank 1 {\n}\n");
  const Verification v = judge(program, mostBubble(1, 2));
  EXPECT_EQ(v.verdict, Verdict::verified);
  EXPECT_EQ(v.bubble->makespan, 3U);
  EXPECT_EQ(v.bubble->idle, 3U); // a rank without any computing
}

TEST(Bubble, ARankWithoutAnythingIsNamed) {
  const Verification v = judge(fromPir("rank 0 {\n forward s0 m0\n}\nrank 1 {\n}\n"), mostBubble(1, 4));
  const auto found = findingsOf(v, RuleId::bubble_over_limit);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0]->message.find("rank 1 idles most, for 1 of 1"), std::string::npos) << found[0]->message;
  EXPECT_EQ(found[0]->rank, RankId(1));
  EXPECT_TRUE(found[0]->location.valid());
  EXPECT_EQ(found[0]->location.line, 0U);
}

TEST(Bubble, NothingIsSaidOfWhatCannotFinishOrComputesNothing) {
  const Program deadlock =
      fromPir("rank 0 {\n forward s0 m0\n send_message to 1 label \"a\"\n receive_message from 1 label \"b\"\n}\n"
              "rank 1 {\n send_message to 0 label \"b\"\n receive_message from 0 label \"a\"\n}\n");
  const Verification hangs = judge(deadlock, mostBubble(0, 1));
  EXPECT_EQ(hangs.verdict, Verdict::rejected);
  EXPECT_FALSE(findingsOf(hangs, RuleId::wait_cycle).empty());
  EXPECT_TRUE(findingsOf(hangs, RuleId::bubble_over_limit).empty());
  EXPECT_TRUE(hangs.undecided.empty());
  ASSERT_TRUE(hangs.bubble);
  EXPECT_EQ(hangs.bubble->makespan, 0U);
  const Program messages = fromPir("rank 0 {\n send_message to 1 label \"a\"\n}\n"
                                   "rank 1 {\n receive_message from 0 label \"a\"\n}\n");
  const Verification silent = judge(messages, mostBubble(0, 1));
  EXPECT_EQ(silent.verdict, Verdict::verified);
  EXPECT_EQ(silent.bubble->makespan, 0U);
}

TEST(Bubble, IsNotAskedWithoutALimit) { EXPECT_FALSE(judge(fromCsv(gpipe(2, 1)), VerifyOptions()).bubble); }

// A pool that needs two slots, and declares as many as `declared` says.
Program twoInputs(const std::string &declared) {
  return fromPir("rank 0 {\n pool inputs" + declared +
                 "\n pool spare declared 4\n load_microbatch s0 m0 write inputs[0]:input\n"
                 " load_microbatch s0 m1 write inputs[1]:input\n forward s0 m0 read inputs[0]:input\n"
                 " forward s0 m1 read inputs[1]:input\n}\n");
}

TEST(Slots, NeededAndUndeclared) {
  const Program program = twoInputs("");
  EXPECT_EQ(judge(program, mostSlots({{"inputs", 2}})).verdict, Verdict::verified);
  const Verification v = judge(program, mostSlots({{"inputs", 1}}));
  EXPECT_EQ(v.verdict, Verdict::rejected);
  const auto found = findingsOf(v, RuleId::slots_over_limit);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0]->message, "pool 'inputs' of rank 0 needs 2 slots in this order: more than the 1 allowed");
  EXPECT_EQ(found[0]->rank, RankId(0));
  EXPECT_EQ(found[0]->related.size(), 2U);
  ASSERT_TRUE(found[0]->instruction.valid()); // the value that is one too many
  EXPECT_EQ(program.at(found[0]->instruction).microbatch, MicrobatchId(1));
  EXPECT_EQ(findingsOf(judge(program, mostSlots({{"inputs", 0}})), RuleId::slots_over_limit).size(), 1U);
}

TEST(Slots, DeclaredBeyondTheLimitAlthoughFewerAreNeeded) {
  const Program program = twoInputs(" declared 3");
  EXPECT_EQ(judge(program, mostSlots({{"inputs", 3}})).verdict, Verdict::verified);
  const Verification v = judge(program, mostSlots({{"inputs", 2}}));
  const auto found = findingsOf(v, RuleId::slots_over_limit);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0]->message,
            "pool 'inputs' of rank 0 declares 3 slots and needs 2 in this order: more than the 2 allowed");
  EXPECT_EQ(found[0]->location, program.pools[0].location);
  EXPECT_EQ(found[0]->related.size(), 2U);
}

TEST(Slots, OneLimitBoundsEveryPoolAndTheSmallestCounts) {
  const Program program = twoInputs(" declared 2");
  EXPECT_EQ(judge(program, mostSlots({{"", 4}})).verdict, Verdict::verified);
  const Verification v = judge(program, mostSlots({{"", 3}})); // also of a pool that nothing uses
  ASSERT_EQ(findingsOf(v, RuleId::slots_over_limit).size(), 1U);
  EXPECT_EQ(findingsOf(v, RuleId::slots_over_limit)[0]->message,
            "pool 'spare' of rank 0 declares 4 slots and needs 0 in this order: more than the 3 allowed");
  EXPECT_EQ(findingsOf(judge(program, mostSlots({{"", 1}, {"inputs", 4}})), RuleId::slots_over_limit).size(), 2U);
  EXPECT_EQ(findingsOf(judge(program, mostSlots({{"", 4}, {"inputs", 1}})), RuleId::slots_over_limit).size(), 1U);
}

TEST(Slots, AnUnknownNumberNeverPasses) {
  smt::Session session(1);
  smt::Budget spent;
  spent.deadline = std::chrono::steady_clock::now();
  session.setBudget(spent);
  const Verification v = verify(twoInputs(""), mostSlots({{"inputs", 100}}), session);
  EXPECT_EQ(v.verdict, Verdict::undecided);
  EXPECT_TRUE(llvm::is_contained(
      v.undecided, "limit on buffers: the least number of slots is not known for pool 'inputs' of rank 0"));
  // What is declared is known at any time.
  EXPECT_EQ(verify(twoInputs(" declared 101"), mostSlots({{"inputs", 100}}), session).verdict, Verdict::rejected);
}

TEST(Slots, OfADeadlockOnlyTheDeclarationIsJudged) {
  const std::string ranks = "rank 0 {\n pool p declared 2\n send_message to 1 label \"a\"\n"
                            " receive_message from 1 label \"b\" write p[0]:other(-, m0)\n}\n"
                            "rank 1 {\n send_message to 0 label \"b\"\n receive_message from 0 label \"a\"\n}\n";
  const Verification within = judge(fromPir(ranks), mostSlots({{"p", 2}}));
  EXPECT_EQ(within.verdict, Verdict::rejected);
  EXPECT_TRUE(within.undecided.empty());
  EXPECT_TRUE(findingsOf(within, RuleId::slots_over_limit).empty());
  EXPECT_EQ(findingsOf(judge(fromPir(ranks), mostSlots({{"p", 1}})), RuleId::slots_over_limit).size(), 1U);
}

} // namespace
} // namespace plumbline::check
