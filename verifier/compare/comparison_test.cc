#include "verifier/compare/comparison.h"

#include "verifier/compare/judgement.h"
#include "verifier/ir/pir_parse.h"

#include "llvm/ADT/STLExtras.h"

#include "gtest/gtest.h"

namespace plumbline::compare {
namespace {

report::Report judged(const std::string &text, std::size_t findingsPerRule = 1000, bool late = false,
                      const std::string &mode = "fragment", const model::Options &model = {}) {
  report::Report report;
  report.file = "test.pir";
  Result<Program> program = parsePir("test.pir", "plumbline ir 1\nmode " + mode + "\n" + text);
  EXPECT_TRUE(program.ok()) << program.error().line << ": " << program.error().message;
  report.program = *program;
  check::VerifyOptions options;
  options.model = model;
  options.findingsPerRule = findingsPerRule;
  smt::Session session(1);
  if (late)
    session.setBudget({std::chrono::steady_clock::now()});
  report.model = options.model;
  report.verification = check::verify(report.program, options, session);
  report.timeline = check::timelineOf(report.program, report.model, model::unitCosts(), report.verification.slots);
  return report;
}

report::Report invalid() {
  report::Report report;
  report.file = "test.pir";
  report.invalid = Diagnostic{"test.pir", 1, 1, "expected something"};
  return report;
}

// "worse least_slots 1->2", a line for each change that is not neutral.
std::string changesOf(const Comparison &comparison) {
  std::string text;
  for (const Change &change : comparison.changes)
    if (change.grade != Grade::neutral)
      text += name(change.grade).str() + " " + name(change.subject).str() + " " + change.before + "->" + change.after +
              "\n";
  return text;
}

std::string changesOf(const std::string &base, const std::string &next, const Allowance &allowance = {}) {
  const report::Report before = judged(base), after = judged(next);
  return changesOf(compare(&before, after, allowance));
}

// On one rank, so many values that live together in `declared` slots (none if negative) of the pool.
std::string values(int live, int declared = -1, const std::string &pool = "p") {
  std::string text = "rank 0 {\npool " + pool + (declared < 0 ? "" : " declared " + std::to_string(declared)) + "\n";
  for (int k = 0; k < live; ++k)
    text += "compute write " + pool + "[" + std::to_string(k) + "]:other s0 m" + std::to_string(k) + "\n";
  for (int k = 0; k < live; ++k)
    text += "compute read " + pool + "[" + std::to_string(k) + "]:other s0 m" + std::to_string(k) + "\n";
  return text + "}\n";
}

// On one rank forward and backward passes in the order of "FFBB"; each takes the next microbatch.
std::string order(const std::string &passes, const std::string &head = "stage 0 on rank 0\n") {
  std::string text = head + "rank 0 {\n";
  int forward = 0, backward = 0;
  for (const char pass : passes)
    text += pass == 'F' ? "forward s0 m" + std::to_string(forward++) + "\n"
                        : "backward s0 m" + std::to_string(backward++) + "\n";
  return text + "}\n";
}

TEST(Comparison, NothingChanged) {
  const report::Report report = judged(values(2, 2));
  const Comparison comparison = compare(&report, report, {});
  EXPECT_EQ(comparison.outcome, Outcome::fine);
  EXPECT_TRUE(comparison.changes.empty());
  EXPECT_EQ(comparison.sentence, "not worse");
  EXPECT_EQ(comparison.findings.kept.size(), report.verification.findings.size());
}

TEST(Comparison, SlotsGrow) {
  EXPECT_EQ(changesOf(values(1), values(2)), "worse least_slots 1->2\n");
  EXPECT_EQ(changesOf(values(2), values(1)), "better least_slots 2->1\n");
  EXPECT_EQ(changesOf(values(2, 2), values(3, 3)), "worse declared_slots 2->3\nworse least_slots 2->3\n");
  EXPECT_EQ(changesOf(values(1), values(3), {.buffers = 2}), "allowed least_slots 1->3\n");
  EXPECT_EQ(changesOf(values(1), values(4), {.buffers = 2}), "worse least_slots 1->4\n");
}

TEST(Comparison, ANewPoolCountsFromZero) {
  EXPECT_EQ(changesOf(values(1, 1), values(1, 1) + "rank 1 {\npool q\ncompute write q[0]:other s1 m0\ncompute read "
                                                   "q[0]:other s1 m0\n}\n"),
            "worse least_slots -->1\n");
  EXPECT_EQ(changesOf(values(1, -1, "p"), values(1, -1, "q")), "worse least_slots -->1\nbetter least_slots 1->-\n");
}

TEST(Comparison, ANumberThatIsNoLongerThereIsNotKnown) {
  EXPECT_EQ(changesOf(values(2, 2), values(2)), "undecided declared_slots 2->-\n");
  EXPECT_EQ(changesOf(values(2), values(2, 2)), "");
  EXPECT_EQ(changesOf(values(1), "rank 0 {\ncompute\n}\n"), "undecided least_slots 1->?\n");
}

TEST(Comparison, Findings) {
  // One slot for two values: the second is written over the first.
  const std::string good = values(2, 2);
  std::string bad = good;
  for (std::size_t at = bad.find("p[1]"); at != std::string::npos; at = bad.find("p[1]"))
    bad.replace(at, 4, "p[0]");
  const report::Report before = judged(good), after = judged(bad);
  const Comparison worse = compare(&before, after, {.buffers = 9, .bubble = {1, 1, "100"}, .warnings = true});
  EXPECT_EQ(worse.outcome, Outcome::worse);
  EXPECT_EQ(worse.findings.added.size(), after.verification.findings.size());
  EXPECT_EQ(worse.changes.front().subject, Subject::verdict);
  const Comparison better = compare(&after, before, {});
  EXPECT_EQ(better.outcome, Outcome::fine);
  EXPECT_EQ(better.findings.fixed.size(), after.verification.findings.size());
  const Comparison still = compare(&after, after, {});
  EXPECT_EQ(still.outcome, Outcome::fine);
  EXPECT_EQ(still.sentence, "not worse: still rejected");
}

TEST(Comparison, Warnings) {
  EXPECT_EQ(changesOf(values(2, 2), values(2, 3)), "worse warning -->1\nworse declared_slots 2->3\n");
  EXPECT_EQ(changesOf(values(2, 2), values(2, 3), {.buffers = 1}), "allowed declared_slots 2->3\n");
  EXPECT_EQ(changesOf(values(2), values(2, 3)), "worse warning -->1\n");
  EXPECT_EQ(changesOf(values(2), values(2, 3), {.warnings = true}), "allowed warning -->1\n");
  EXPECT_EQ(changesOf(values(3, 3), values(2, 3)), "better least_slots 3->2\n"); // it only needs less
  EXPECT_EQ(changesOf(values(2, 3), values(2, 2)), "better warning 1->-\nbetter declared_slots 3->2\n");
}

TEST(Comparison, InFlightIsJudgedWithoutPools) {
  EXPECT_EQ(changesOf(order("FBFB"), order("FFBB")), "worse in_flight 1->2\n");
  EXPECT_EQ(changesOf(order("FFBB"), order("FBFB")), "better in_flight 2->1\n");
  EXPECT_EQ(changesOf(order("FBFB"), order("FFBB"), {.buffers = 1}), "allowed in_flight 1->2\n");
  const std::string pool = "rank 1 {\npool p declared 1\ncompute write p[0]:other s1 m0\ncompute read p[0]:other s1 "
                           "m0\n}\n";
  EXPECT_EQ(changesOf(order("FBFB") + pool, order("FFBB") + pool), "");
}

TEST(Comparison, WhatCannotFinishHasNoNumbers) {
  const std::string stuck = "rank 0 {\npool p declared 1\nsend_message to 1 label \"a\"\ncompute write p[0]:other s0 "
                            "m0\ncompute read p[0]:other s0 m0\n}\nrank 1 {\ncompute\n}\n";
  const std::string runs = "rank 0 {\npool p declared 1\ncompute write p[0]:other s0 m0\ncompute read p[0]:other s0 "
                           "m0\n}\nrank 1 {\ncompute\n}\n";
  const report::Report before = judged(runs), after = judged(stuck);
  const Comparison worse = compare(&before, after, {});
  EXPECT_EQ(worse.outcome, Outcome::worse);
  EXPECT_TRUE(llvm::any_of(worse.changes, [](const Change &c) {
    return c.grade == Grade::undecided && c.what == "slots and bubble";
  })) << changesOf(worse);
  EXPECT_EQ(compare(&after, after, {}).outcome, Outcome::fine);
  EXPECT_EQ(compare(&after, before, {}).outcome, Outcome::fine);
}

// Sends that nobody receives, which is an error and hangs.
std::string hanging(const std::string &text) {
  return text + "rank 1 {\nsend_message to 2 label \"a\"\n}\nrank 2 {\ncompute\n}\n";
}

std::string finishing(const std::string &text) { return text + "rank 1 {\ncompute\n}\nrank 2 {\ncompute\n}\n"; }

TEST(Comparison, ARepairIsNotHeldToTheNumbersOfWhatWasBroken) {
  // One slot declared where two are needed.
  EXPECT_EQ(changesOf(values(2, 1), values(2, 2)),
            "better verdict rejected->verified\nbetter error 1->-\nbetter error 2->-\n");
  for (const char *mended : {"p", "q"}) {
    const report::Report before = judged(hanging(values(1, 1))), after = judged(finishing(values(3, 3, mended)));
    const Comparison repaired = compare(&before, after, {});
    EXPECT_EQ(repaired.outcome, Outcome::fine) << changesOf(repaired);
    EXPECT_TRUE(llvm::any_of(repaired.changes, [](const Change &c) {
      return c.grade == Grade::neutral && c.subject == Subject::declared_slots && c.after == "3";
    }));
  }
  // Warnings that are new count all the same.
  const report::Report broken = judged(values(2, 1)), lavish = judged(values(2, 3)), sparing = judged(values(2, 2));
  EXPECT_EQ(compare(&broken, lavish, {}).outcome, Outcome::worse);
  EXPECT_EQ(compare(&broken, lavish, {.warnings = true}).outcome, Outcome::fine);
  EXPECT_EQ(compare(&sparing, lavish, {.warnings = true}).outcome, Outcome::worse);
}

TEST(Comparison, OfTwoBrokenVersionsWhatTheFirstCouldNotKnowIsNotJudged) {
  const report::Report before = judged(hanging(values(1, 1))), same = judged(hanging(values(3, 3)));
  EXPECT_EQ(changesOf(compare(&before, same, {})), "worse declared_slots 1->3\n");
  const report::Report other = judged(hanging(values(1, 1)) + "rank 3 {\npool q declared 1\ncompute write q[0]:other "
                                                              "s1 m0\ncompute read q[0]:other s1 m0\n}\n");
  EXPECT_EQ(changesOf(compare(&before, other, {})), "");
}

TEST(Comparison, AModeThatAsksForLessIsWorse) {
  const std::string inference = "stage 0 on rank 0\nrank 0 {\nforward s0 m0\n}\n", training = order("FB");
  const report::Report training1 = judged(training, 1000, false, "training"),
                       inference1 = judged(inference, 1000, false, "inference"), fragment1 = judged(inference);
  const auto modes = [](const report::Report &a, const report::Report &b) {
    std::string text;
    for (const Change &change : compare(&a, b, {}).changes)
      if (change.subject == Subject::mode)
        text += name(change.grade).str() + ": " + change.message;
    return text;
  };
  EXPECT_EQ(modes(training1, inference1),
            "worse: training before, now inference: backward passes are no longer looked for");
  EXPECT_EQ(modes(training1, fragment1),
            "worse: training before, now fragment: what is missing is no longer looked for");
  EXPECT_EQ(modes(inference1, fragment1),
            "worse: inference before, now fragment: what is missing is no longer looked for");
  for (const auto &[a, b] : {std::pair(&inference1, &training1), std::pair(&fragment1, &training1),
                             std::pair(&fragment1, &inference1), std::pair(&training1, &training1)})
    EXPECT_EQ(modes(*a, *b), "");
}

std::string message(const std::string &head, const std::string &via) {
  return head + "rank 0 {\nsend_message to 1 via " + via + " label \"a\"\n}\nrank 1 {\nreceive_message from 0 via " +
         via + " label \"a\"\n}\n";
}

TEST(Comparison, MoreRoomMayHideAHang) {
  const std::string plain = message("communicator x\n", "x"), nine = message("communicator x room 9\n", "x");
  EXPECT_EQ(changesOf(plain, nine), "undecided room 0->9\n");
  EXPECT_EQ(changesOf(nine, plain), "");
  EXPECT_EQ(changesOf(nine, nine), "");
  EXPECT_EQ(changesOf(plain, message("communicator x\ncommunicator y room 9\n", "y")), "undecided room 0->9\n");
  EXPECT_EQ(changesOf("rank 0 {\ncompute\n}\nrank 1 {\ncompute\n}\n", nine), "undecided room 0->9\n");
  // The room was there, and messages move to it.
  EXPECT_EQ(changesOf(message("communicator x\ncommunicator y room 9\n", "x"),
                      message("communicator x\ncommunicator y room 9\n", "y")),
            "undecided room 0->9\n");
  // Another name is no more room.
  EXPECT_EQ(changesOf(nine, message("communicator y room 9\n", "y")), "");
  const report::Report before = judged(plain), after = judged(nine);
  const Comparison comparison = compare(&before, after, {});
  EXPECT_EQ(comparison.outcome, Outcome::undecided);
  EXPECT_EQ(comparison.changes.front().message,
            "communicator 'x' has room for 9 messages in the new version, 0 before: what hangs with less may pass");
  ASSERT_EQ(comparison.figures.differences.size(), 1U);
  EXPECT_EQ(comparison.figures.differences[0].what, "room of communicator 'x'");
}

TEST(Comparison, RoomIsThatWhichApplies) {
  const std::string plain = message("communicator x\n", "x"), nine = message("communicator x room 9\n", "x");
  const auto changes = [&](const std::string &a, const std::string &b, const model::Options &model) {
    const report::Report before = judged(a, 1000, false, "fragment", model),
                         after = judged(b, 1000, false, "fragment", model);
    return changesOf(compare(&before, after, {}));
  };
  EXPECT_EQ(changes(plain, nine, {.room = 9}), "");
  EXPECT_EQ(changes(plain, nine, {.room = 5}), "undecided room 5->9\n");
  EXPECT_EQ(changes(message("communicator x room 2\n", "x"), plain, {.room = 5}), "undecided room 2->5\n");
  EXPECT_EQ(changes(plain, nine, {.roomBytes = 1}), "");
  EXPECT_EQ(changes(plain, nine, {.grouping = model::Grouping::atomic}), "");
}

TEST(Comparison, AnotherModelLeavesItOpen) {
  const auto changes = [&](const model::Options &a, const model::Options &b) {
    const std::string text = message("communicator x\n", "x");
    const report::Report before = judged(text, 1000, false, "fragment", a),
                         after = judged(text, 1000, false, "fragment", b);
    return changesOf(compare(&before, after, {}));
  };
  const model::Options blocking{.kind = model::Kind::blocking}, nccl, waiting{.wait = model::Wait::group};
  EXPECT_EQ(changes(blocking, nccl), "undecided model blocking->nccl\n");
  EXPECT_EQ(changes(waiting, nccl), "undecided model group->use\n");
  EXPECT_EQ(changes(nccl, waiting), "undecided model use->group\n");
  EXPECT_EQ(changes(nccl, blocking), "undecided model nccl->blocking\n");
  EXPECT_EQ(changes(waiting, blocking), "undecided model nccl->blocking\n");
  EXPECT_EQ(changes(nccl, nccl) + changes(waiting, waiting) + changes(blocking, blocking), "");
}

TEST(Comparison, AnOpenQuestionIsNoPass) {
  const report::Report good = judged(values(2, 2)), late = judged(values(2, 2), 1000, true);
  ASSERT_EQ(report::verdictOf(late), "undecided");
  EXPECT_EQ(compare(&good, late, {}).outcome, Outcome::undecided);
  EXPECT_EQ(compare(&late, late, {}).outcome, Outcome::undecided);
  EXPECT_EQ(compare(nullptr, late, {}).outcome, Outcome::undecided);
  // The least number of the base is not known, so that of the new version may be larger.
  EXPECT_EQ(compare(&late, good, {}).outcome, Outcome::undecided);
  EXPECT_EQ(compare(&late, good, {.buffers = 2}).outcome, Outcome::fine);
}

TEST(Comparison, WithoutABase) {
  const report::Report good = judged(values(2, 3)), broken = invalid();
  for (const report::Report *base : {static_cast<const report::Report *>(nullptr), &broken}) {
    const Comparison alone = compare(base, good, {});
    EXPECT_EQ(alone.outcome, Outcome::fine); // a warning is none of an error
    EXPECT_TRUE(alone.alone);
    EXPECT_EQ(alone.sentence, "not worse: verified");
    EXPECT_EQ(compare(base, broken, {}).outcome, Outcome::unusable);
  }
  EXPECT_EQ(compare(&good, broken, {}).outcome, Outcome::unusable);
  report::Report misused = invalid();
  misused.misused = true;
  EXPECT_EQ(compare(&misused, good, {}).outcome, Outcome::unusable);
}

TEST(Comparison, MoreFindingsThanAreKept) {
  const auto duplicates = [](int count) {
    std::string text = "stage 0 on rank 0\nrank 0 {\n";
    for (int k = 0; k < count; ++k)
      text += "reduce_gradients s0\n";
    for (int k = 0; k < count; ++k)
      text += "send_message to 1 label \"a\"\n";
    return text + "}\nrank 1 {\ncompute\n}\n";
  };
  const report::Report three = judged(duplicates(3), 2), four = judged(duplicates(4), 2);
  ASSERT_FALSE(three.verification.dropped.empty());
  EXPECT_EQ(compare(&three, four, {}).outcome, Outcome::worse);
  EXPECT_EQ(compare(&three, three, {}).outcome, Outcome::undecided); // which two of the three are known?
}

TEST(Comparison, SizesThatDiffer) {
  const report::Report small = judged(order("FB")), large = judged(order("FBFB"));
  const Comparison comparison = compare(&small, large, {});
  ASSERT_EQ(comparison.figures.differences.size(), 1U);
  EXPECT_EQ(comparison.figures.differences[0].what, "microbatches");
  EXPECT_EQ(comparison.outcome, Outcome::fine); // the longer step is that of a larger batch
}

TEST(Judgement, AllowedShareIsExact) {
  const auto bubble = [](std::uint64_t idle, std::uint64_t total) {
    check::Bubble b;
    b.makespan = b.total = total;
    b.idle = idle;
    return b;
  };
  EXPECT_FALSE(growsBeyond(bubble(1, 4), bubble(1, 4), {0, 1, ""}));
  EXPECT_TRUE(growsBeyond(bubble(1, 4), bubble(2, 7), {0, 1, ""}));
  EXPECT_FALSE(growsBeyond(bubble(1, 4), bubble(3, 8), {125, 1000, ""}));
  EXPECT_TRUE(growsBeyond(bubble(1, 4), bubble(3, 8), {124'999'999, 1'000'000'000, ""}));
  const std::uint64_t most = std::uint64_t{1} << 63;
  EXPECT_TRUE(growsBeyond(bubble(most - 2, most), bubble(most - 1, most), {0, 1'000'000'000'000'000'000, ""}));
  // With equal work both say the same; more work counts as idle time for the step, not for the bubble.
  EXPECT_TRUE(lastsBeyond(bubble(1, 4), bubble(2, 5), {149, 1000, ""}));
  EXPECT_FALSE(lastsBeyond(bubble(1, 4), bubble(2, 5), {150, 1000, ""}));
  EXPECT_FALSE(growsBeyond(bubble(1, 4), bubble(1, 5), {0, 1, ""}));
  EXPECT_TRUE(lastsBeyond(bubble(1, 4), bubble(1, 5), {149, 1000, ""}));
  EXPECT_FALSE(lastsBeyond(bubble(1, 4), bubble(0, 3), {0, 1, ""}));
}

TEST(Judgement, Grades) {
  using State = Figure::State;
  const auto grade = [](Figure base, Figure next) { return gradeOf({base, next}, 1); };
  const Figure none{State::none, 0}, unfinished{State::unfinished, 0}, unknown{State::unknown, 0};
  EXPECT_EQ(grade(knownFigure(2), knownFigure(2)), Grade::neutral);
  EXPECT_EQ(grade(knownFigure(2), knownFigure(3)), Grade::allowed);
  EXPECT_EQ(grade(knownFigure(2), knownFigure(4)), Grade::worse);
  EXPECT_EQ(grade(knownFigure(2), knownFigure(1)), Grade::better);
  EXPECT_EQ(grade(none, knownFigure(2)), Grade::worse);
  EXPECT_EQ(grade(unknown, knownFigure(1)), Grade::neutral);
  EXPECT_EQ(grade(unknown, knownFigure(2)), Grade::undecided);
  EXPECT_EQ(grade(unfinished, knownFigure(9)), Grade::neutral);
  for (const Figure &base : {none, unfinished, unknown, knownFigure(0)})
    EXPECT_EQ(grade(base, unknown), Grade::undecided);
  EXPECT_EQ(grade(unfinished, unfinished), Grade::neutral);
  EXPECT_EQ(grade(knownFigure(0), unfinished), Grade::undecided);
  EXPECT_EQ(grade(knownFigure(0), none), Grade::undecided);
}

TEST(Figures, MostInFlight) {
  const auto most = [](const std::string &text) { return words(mostInFlight(judged(text).program)[0]); };
  EXPECT_EQ(most(order("FFFBBFBB")), "3");
  EXPECT_EQ(most(order("FF")), "-");
  EXPECT_EQ(most("stage 0 on rank 0\nrank 0 {\nforward s0 m0\nbackward_input s0 m0\nforward s0 m1\nbackward_weight s0 "
                 "m0\nbackward s0 m1\n}\n"),
            "2");
}

} // namespace
} // namespace plumbline::compare
