// Every single-instruction mutation of the verified corpus: how many are rejected, and why each survivor is right.
//
// A survivor is equivalent if it consists of the same instructions on the same values as the original, in another
// order or in other slots: verification has shown that each of them still reads what it expects. What is left are
// mutations that only rules of a later issue can judge; they are named here, and anything else fails the test.
//
//   PLUMBLINE_LONG=1   all corpus files, not only those of at most 64 instructions
#include "tests/corpus/corpus.h"
#include "tests/corpus/expectations.h"
#include "tests/differential/mutations.h"
#include "verifier/check/verify.h"
#include "verifier/cli/judge.h"
#include "verifier/ir/pir_print.h"

#include "llvm/ADT/STLExtras.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iostream>
#include <map>

namespace plumbline::oracle {
namespace {

// What a program consists of, whatever the order: each instruction with its values, without slots and places.
std::vector<std::string> contents(const Program &program) {
  std::vector<std::string> result;
  for (const Instruction &i : program.instructions) {
    std::string text = name(i.opcode).str();
    for (const std::int32_t n : {i.rank.value(), i.stage.value(), i.microbatch.value(), i.peer.value()})
      text += " " + std::to_string(n);
    std::vector<std::string> values;
    for (const SlotAccess &a : program.accessesOf(i))
      values.push_back(std::string(a.mode == AccessMode::read ? " r" : " w") + name(a.value.kind).str() + " " +
                       std::to_string(a.value.stage.value()) + " " + std::to_string(a.value.microbatch.value()) +
                       " pool " + std::to_string(a.pool.value()));
    llvm::sort(values);
    for (const std::string &value : values)
      text += value;
    result.push_back(std::move(text));
  }
  llvm::sort(result);
  return result;
}

// Why a mutation that changes what the program consists of may pass, or an empty text if it may not.
std::string laterRule(const Program &program, const Mutation &mutation) {
  const Opcode opcode = program.at(mutation.instruction).opcode;
  if (opcode == Opcode::reduce_gradients || opcode == Opcode::reduce_tied_gradients)
    return "gradients reduced once, after the last accumulation: PL6xx, not there yet";
  if (opcode == Opcode::unshard || opcode == Opcode::reshard)
    return "compute only on unsharded parameters, balanced: PL7xx, not there yet";
  return "";
}

struct Count {
  std::size_t programs = 0, mutations = 0, caught = 0, equivalent = 0;
  std::map<std::string, std::size_t> later;
};

void print(const Count &count) {
  std::cout << count.mutations << " mutations of " << count.programs << " verified programs: " << count.caught
            << " rejected, " << count.equivalent << " equivalent (same instructions on the same values)";
  for (const auto &[why, n] : count.later)
    std::cout << "; " << n << " " << why;
  std::cout << "\n";
}

class Survivors : public ::testing::TestWithParam<testing::Expectation> {
protected:
  static void TearDownTestSuite() {
    if (total.programs > 0)
      print(total);
  }

  void judgeAll(const Program &original, const model::Options &options) {
    check::VerifyOptions verifyOptions;
    verifyOptions.model = options;
    verifyOptions.findingsPerRule = 1;
    smt::Session session(1);
    ASSERT_EQ(check::verify(original, verifyOptions, session).verdict, check::Verdict::verified) << original.name;
    ++total.programs;
    const std::vector<std::string> before = contents(original);
    for (const Mutation &mutation : allMutations(original)) {
      const Program mutant = apply(original, mutation);
      const check::Verification v = check::verify(mutant, verifyOptions, session);
      ++total.mutations;
      ASSERT_NE(v.verdict, check::Verdict::undecided) << original.name << ": " << describe(original, mutation);
      if (v.verdict == check::Verdict::rejected) {
        ++total.caught;
        continue;
      }
      if (contents(mutant) == before) {
        ++total.equivalent;
        continue;
      }
      const std::string later = laterRule(original, mutation);
      if (later.empty())
        ADD_FAILURE() << original.name << ": " << describe(original, mutation) << " survives\n";
      ++total.later[later];
    }
  }

private:
  static Count total; // over the files that this process judges, for the line that tells
};

Count Survivors::total;

TEST_P(Survivors, AreEquivalent) {
  const testing::Expectation &expected = GetParam();
  const std::string path = "tests/corpus/" + expected.file;
  cli::Settings settings;
  if (expected.batches)
    settings.batches = path.substr(0, path.rfind('.')) + ".batches.csv";
  report::Report report;
  ASSERT_TRUE(cli::load(path, settings, report)) << path;
  const std::size_t limit = std::getenv("PLUMBLINE_LONG") ? SIZE_MAX : 64;
  if (report.program.instructions.size() > limit)
    GTEST_SKIP() << "more than " << limit << " instructions: only with PLUMBLINE_LONG=1";
  model::Options options;
  options.kind = report.program.execution == Execution::blocking ? model::Kind::blocking : model::Kind::nccl;
  options.wait = report.program.waitsForGroups ? model::Wait::group : model::Wait::use;
  judgeAll(report.program, options);
}

// The schedules that EXPECTED calls verified without further arguments.
std::vector<testing::Expectation> verifiedSchedules() {
  std::vector<std::string> files;
  for (const std::string &path : testing::corpusFiles("", ""))
    files.push_back(path.substr(std::string("tests/corpus/").size()));
  std::vector<testing::Expectation> result =
      testing::expandPatterns(testing::readExpectations("tests/corpus/EXPECTED"), files);
  llvm::erase_if(result, [](const testing::Expectation &e) {
    return !e.checkedIn || !e.arguments.empty() || e.verdict != "verified";
  });
  return result;
}

std::string testName(const ::testing::TestParamInfo<testing::Expectation> &info) {
  std::string name = info.param.file;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

TEST(SurvivorsOf, TheWholeCorpus) { EXPECT_GT(verifiedSchedules().size(), 100U); }

INSTANTIATE_TEST_SUITE_P(All, Survivors, ::testing::ValuesIn(verifiedSchedules()), testName);

} // namespace
} // namespace plumbline::oracle
