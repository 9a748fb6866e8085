// DeepSpeed issue 2800: how many slots its 1F1B lists declare, how many they need, and what lowering the count broke.
#include "tests/judging/judging.h"

#include "llvm/ADT/StringRef.h"

#include "gtest/gtest.h"

#include <map>
#include <utility>

namespace plumbline {
namespace {

report::Report judgeLists(const std::string &version) {
  return cli::judge("tests/corpus/deepspeed/" + version + "/TrainSchedule_4stage_8mb.txt", cli::Settings());
}

using Counts = std::vector<std::pair<std::int32_t, std::int32_t>>; // declared and least of each stage

Counts inputSlots(const report::Report &report) {
  std::map<std::int32_t, std::pair<std::int32_t, std::int32_t>> ofRank;
  for (const check::SlotCount &count : report.verification.slots)
    if (report.program.pools[static_cast<std::size_t>(count.pool.value())].name == "inputs") {
      EXPECT_TRUE(ofRank.try_emplace(count.rank.value(), count.declared, count.least).second);
    }
  Counts counts;
  for (const auto &[rank, pair] : ofRank)
    counts.push_back(pair);
  return counts;
}

TEST(Issue2800, OldListsDeclareASlotTooManyOnTheFirstStage) {
  EXPECT_EQ(inputSlots(judgeLists("old")), (Counts{{5, 4}, {4, 4}, {3, 3}, {2, 2}}));
}

TEST(Issue2800, NaiveFixDeclaresOneTooFewOnTheMiddleStages) {
  EXPECT_EQ(inputSlots(judgeLists("naive")), (Counts{{4, 4}, {3, 4}, {2, 3}, {2, 2}}));
}

TEST(Issue2800, ReleasedFixNeedsOneFewerOnTheLastStage) {
  EXPECT_EQ(inputSlots(judgeLists("fixed")), (Counts{{4, 4}, {3, 3}, {2, 2}, {2, 1}}));
}

// The instruction that is written at a location, without its closing parenthesis.
llvm::StringRef textAt(const report::Report &report, SourceLocation location) {
  llvm::StringRef text = report.texts.find(report::fileOf(report.program, location))->second;
  for (std::uint32_t line = 1; line < location.line; ++line)
    text = text.split('\n').second;
  return text.split('\n').first.drop_front(location.column - 1).split(')').first;
}

// Errors of PL401 on a stage, in order of their place.
std::vector<const check::Finding *> overwrites(const report::Report &report, std::int32_t stage) {
  std::vector<const check::Finding *> found;
  for (const check::Finding &f : report.verification.findings)
    if (f.rule == check::RuleId::overwritten && f.stage == StageId(stage))
      found.push_back(&f);
  return found;
}

TEST(Issue2800, NaiveFixReceivesOverAGradientThatIsStillToBeSent) {
  const report::Report report = judgeLists("naive");
  const std::vector<const check::Finding *> found = overwrites(report, 2);
  ASSERT_EQ(found.size(), 6U);
  // Step 6 of stage 2: the first RecvActivation(buffer_id=0) that does not find its buffer empty.
  const check::Finding &first = *found.front();
  EXPECT_EQ(first.severity, check::Severity::error);
  EXPECT_EQ(first.location.line, 54U);
  EXPECT_EQ(first.location.column, 2U);
  EXPECT_EQ(textAt(report, first.location), "RecvActivation(buffer_id=0");
  EXPECT_EQ(report.program.at(first.instruction).opcode, Opcode::receive_activation);
  EXPECT_EQ(first.rank, RankId(2));
  EXPECT_EQ(first.microbatch, MicrobatchId(2));
  EXPECT_NE(first.message.find("SendGrad(buffer_id=0)"), std::string::npos) << first.message;
  ASSERT_FALSE(first.related.empty());
  const check::Related &pending = first.related.front();
  EXPECT_EQ(report.program.at(pending.instruction).opcode, Opcode::send_gradient);
  EXPECT_EQ(report.program.at(pending.instruction).microbatch, MicrobatchId(0));
  const SourceLocation place = report::placeOf(report.program, pending.instruction);
  EXPECT_EQ(place.line, 54U);
  EXPECT_EQ(textAt(report, place), "SendGrad(buffer_id=0");
  EXPECT_NE(pending.message.find("SendGrad(buffer_id=0) of microbatch 0"), std::string::npos) << pending.message;
}

TEST(Issue2800, NaiveFixFailsOnStagesOneAndTwoOnly) {
  const report::Report report = judgeLists("naive");
  EXPECT_EQ(overwrites(report, 0).size(), 0U);
  EXPECT_EQ(overwrites(report, 1).size(), 5U);
  EXPECT_EQ(overwrites(report, 2).size(), 6U);
  EXPECT_EQ(overwrites(report, 3).size(), 0U);
  for (const check::Finding &f : report.verification.findings)
    EXPECT_TRUE(f.rank == RankId(1) || f.rank == RankId(2)) << f.message;
}

// As an independent reading of the lists counted: 25 to 30 times on stages 1 to 6.
TEST(Issue2800, NaiveFixFailsMoreOftenWithMoreStages) {
  const report::Report report =
      cli::judge("tests/corpus/deepspeed/naive/TrainSchedule_8stage_32mb.txt", cli::Settings());
  std::size_t count = 0;
  for (const check::Finding &f : report.verification.findings)
    count += f.rule == check::RuleId::overwritten ? 1 : 0;
  for (const check::Findings::Dropped &dropped : report.verification.dropped)
    count += dropped.rule == check::RuleId::overwritten ? dropped.count : 0;
  EXPECT_EQ(count, 25U + 26 + 27 + 28 + 29 + 30);
}

} // namespace
} // namespace plumbline
