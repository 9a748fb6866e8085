// Schedules made after public bug reports, faulty ones and their good twins, against EXPECT.json: every command line
// there, what each communication model makes of them, the least room and the least slots.
//
// A line whose only expected rules are of families that Plumbline does not have yet is skipped as "not yet judged", and
// so counted apart from what passed.
#include "tests/corpus/corpus.h"
#include "tests/field/expect_json.h"
#include "tests/judging/judging.h"

#include "verifier/check/rule.h"
#include "verifier/ir/pir_print.h"

#include "llvm/ADT/STLExtras.h"

#include "gtest/gtest.h"

#include <set>

namespace plumbline {
namespace {

using report::Report;
using testing::FieldEntry;
using testing::fieldFolder;
using testing::FieldLine;

bool familyExists(llvm::StringRef family) {
  return llvm::any_of(check::rules(), [&](const check::Rule &rule) {
    return llvm::StringRef(report::nameOf(rule.id)).starts_with(family);
  });
}

Report judge(const FieldEntry &entry, const std::string &arguments, bool withBatches = false) {
  cli::Settings settings = testing::settingsOf(arguments, fieldFolder);
  if (withBatches && !entry.batches.empty())
    settings.batches = fieldFolder + entry.batches;
  return cli::judge(fieldFolder + entry.schedule, settings);
}

// The schedules that a front end reads.
std::vector<FieldEntry> schedules() {
  std::vector<FieldEntry> entries = testing::readFieldEntries();
  llvm::erase_if(entries, [](const FieldEntry &e) { return e.schedule.empty(); });
  return entries;
}

std::string plainWord(std::string text) {
  for (char &c : text)
    if (!std::isalnum(static_cast<unsigned char>(c)))
      c = '_';
  return text;
}

// --- Command lines

struct LineCase {
  FieldEntry entry;
  FieldLine line;
};

std::vector<LineCase> allLines() {
  std::vector<LineCase> cases;
  for (const FieldEntry &entry : schedules())
    for (const FieldLine &line : entry.lines)
      cases.push_back({entry, line});
  return cases;
}

class Line : public ::testing::TestWithParam<LineCase> {};

TEST_P(Line, GetsTheVerdictAndTheRules) {
  const auto &[entry, line] = GetParam();
  const std::string limit =
      entry.mostActivations ? " --max-buffers stashes=" + std::to_string(*entry.mostActivations) : "";
  const Report report = judge(entry, line.arguments + limit);
  ASSERT_FALSE(report.invalid) << testing::textOf(report);
  const std::vector<std::string> families = testing::familiesOf(report);
  if (!line.families.empty() && llvm::none_of(line.families, familyExists)) {
    EXPECT_TRUE(families.empty()) << testing::textOf(report);
    GTEST_SKIP() << "not yet judged: " << entry.id << " " << line.arguments << ": " << line.families.front();
  }
  EXPECT_EQ(report::verdictOf(report), line.verdict) << testing::textOf(report);
  EXPECT_EQ(families, line.families) << testing::textOf(report);
}

std::string lineName(const ::testing::TestParamInfo<LineCase> &info) {
  return info.param.entry.id + "_" + plainWord(info.param.line.arguments);
}

INSTANTIATE_TEST_SUITE_P(All, Line, ::testing::ValuesIn(allLines()), lineName);

// --- Communication models

std::string scheduleName(const ::testing::TestParamInfo<FieldEntry> &info) { return info.param.id; }

class Schedule : public ::testing::TestWithParam<FieldEntry> {};

// "ok", "deadlock" (also where a message has no other end) or "mismatch", as EXPECT.json has it.
std::string outcome(const Report &report) {
  bool hangs = false, crosses = false;
  for (const check::Finding &f : report.verification.findings) {
    if (f.severity != check::Severity::error)
      continue;
    const auto number = static_cast<int>(f.rule);
    hangs |= number / 100 == 3 || f.rule == check::RuleId::unmatched_send || f.rule == check::RuleId::unmatched_receive;
    crosses |= f.rule == check::RuleId::crossed_messages;
  }
  return hangs ? "deadlock" : crosses ? "mismatch" : "ok";
}

// One communicator for activations and one for gradients, which only `.pir` can say.
Report judgeWithAQueueForEachDirection(const FieldEntry &entry) {
  Report report;
  EXPECT_TRUE(cli::load(fieldFolder + entry.schedule, cli::Settings(), report));
  Program &program = report.program;
  const auto forward = static_cast<std::int32_t>(program.communicators.size());
  program.communicators.push_back({"forward", {}, -1});
  program.communicators.push_back({"backward", {}, -1});
  for (Instruction &i : program.instructions)
    if (isPointToPoint(i.opcode)) {
      const bool activation = i.opcode == Opcode::send_activation || i.opcode == Opcode::receive_activation;
      i.communicator = CommunicatorId(activation ? forward : forward + 1);
    }
  return cli::judgeText("directions.pir", toPir(program), testing::settingsOf("--group none"));
}

TEST_P(Schedule, EndsAsTheTableSaysUnderEachModel) {
  const FieldEntry &entry = GetParam();
  for (const auto &[name, expected] : entry.communication) {
    // Every operation on its own, in row order: one blocking queue a rank.
    const std::string arguments = name == "rendezvous"       ? "--model blocking --group none"
                                  : name == "buffered:1"     ? "--model blocking --group none --room 1"
                                  : name == "buffered:2"     ? "--model blocking --group none --room 2"
                                  : name == "batched"        ? "--model blocking --group given"
                                  : name == "batched-atomic" ? "--model blocking --group atomic"
                                                             : "";
    ASSERT_NE(arguments, "") << name;
    const Report report = judge(entry, arguments, name.starts_with("batched"));
    EXPECT_EQ(outcome(report), expected) << name << '\n' << testing::textOf(report);
  }
}

TEST_P(Schedule, EndsAsTheTableSaysUnderOtherModels) {
  const FieldEntry &entry = GetParam();
  for (const auto &[name, expected] : entry.otherModels) {
    if (name == "comms:fwd/bwd") {
      const Report report = judgeWithAQueueForEachDirection(entry);
      EXPECT_EQ(outcome(report), expected) << name << '\n' << testing::textOf(report);
    } else if (name == "lazy-pairs") {
      // The table looks at the making of connections alone; on the command line it comes on top of the messages.
      const Report report = judge(entry, "--comms pair --group none --connect first-use");
      const std::string &messages = entry.otherModels.at("comms:pair");
      EXPECT_EQ(outcome(report), expected == "ok" ? messages : expected) << name << '\n' << testing::textOf(report);
    } else {
      const std::string arguments = name == "comms:pair"       ? "--comms pair --group none"
                                    : name == "comms:directed" ? "--comms directed --group none"
                                    : name == "plans of 2"     ? "--group given --plan 2"
                                                               : "";
      ASSERT_NE(arguments, "") << name;
      const Report report = judge(entry, arguments, name == "plans of 2");
      EXPECT_EQ(outcome(report), expected) << name << '\n' << testing::textOf(report);
    }
  }
}

// A crossed message is no reason not to finish.
bool finishesWithRoom(const FieldEntry &entry, const std::string &model, std::int64_t room) {
  return outcome(judge(entry, model + " --group none --room " + std::to_string(room))) != "deadlock";
}

TEST_P(Schedule, FinishesWithTheLeastRoomAndNotWithLess) {
  const FieldEntry &entry = GetParam();
  for (const std::string model : {"--model blocking", "--model nccl --comms single"}) {
    if (!entry.leastRoom) {
      EXPECT_FALSE(finishesWithRoom(entry, model, 64)) << model;
      continue;
    }
    EXPECT_TRUE(finishesWithRoom(entry, model, *entry.leastRoom)) << model;
    if (*entry.leastRoom > 0) {
      EXPECT_FALSE(finishesWithRoom(entry, model, *entry.leastRoom - 1)) << model;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Schedule, ::testing::ValuesIn(schedules()), scheduleName);

// --- Slots, of formats that declare them

std::vector<FieldEntry> schedulesWithSlots() {
  std::vector<FieldEntry> entries = schedules();
  llvm::erase_if(entries, [](const FieldEntry &e) { return e.slots.empty(); });
  return entries;
}

class Slots : public ::testing::TestWithParam<FieldEntry> {};

TEST_P(Slots, AreAsManyAsTheTableSays) {
  const FieldEntry &entry = GetParam();
  const Report report = judge(entry, "");
  for (const testing::FieldSlots &expected : entry.slots) {
    int found = 0;
    for (const check::SlotCount &count : report.verification.slots) {
      const Pool &pool = report.program.pools[static_cast<std::size_t>(count.pool.value())];
      if (count.rank.value() != expected.stage || pool.name != "inputs")
        continue;
      ++found;
      EXPECT_EQ(count.declared, expected.declared) << "stage " << expected.stage;
      EXPECT_EQ(count.least, expected.least) << "stage " << expected.stage;
    }
    EXPECT_EQ(found, 1) << "stage " << expected.stage;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Slots, ::testing::ValuesIn(schedulesWithSlots()), scheduleName);

TEST(Expectations, SpeakOfEveryFileOfTheFolder) {
  std::set<std::string> named = {"EXPECT.json", "NCCL_FACTS.md"};
  for (const FieldEntry &entry : testing::readFieldEntries())
    named.insert(entry.files.begin(), entry.files.end());
  for (const std::string &path : testing::corpusFiles("/field/", "")) {
    const std::string file = path.substr(fieldFolder.size());
    EXPECT_TRUE(named.contains(file)) << "EXPECT.json does not speak of " << file;
  }
}

TEST(Expectations, AreManyEnough) {
  EXPECT_EQ(testing::readFieldEntries().size(), 54U);
  EXPECT_GE(allLines().size(), 250U);
}

} // namespace
} // namespace plumbline
