// The verifier against two others that execute, on more than 50,000 Programs: the simulation beside this test, and the
// host backend with its threads and its ledger. A difference fails the test and prints the smallest Program that still
// shows it, its model and its seed.
//
//   PLUMBLINE_SEED=N   another starting seed        PLUMBLINE_LONG=1   ten times as many Programs
#include "tests/corpus/corpus.h"
#include "tests/differential/compare.h"
#include "tests/differential/mutations.h"
#include "tests/differential/random_programs.h"
#include "verifier/cli/judge.h"
#include "verifier/ir/pir_print.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <iostream>

namespace plumbline::oracle {
namespace {

using model::Options;

std::uint64_t firstSeed() {
  const char *text = std::getenv("PLUMBLINE_SEED");
  return text ? std::strtoull(text, nullptr, 10) : 20261129;
}

std::size_t scaled(std::size_t count) { return std::getenv("PLUMBLINE_LONG") ? count * 10 : count; }

// True if both agree; otherwise reports the smallest Program for which they still do not.
bool agree(const Program &program, const Options &options, const std::string &origin) {
  static smt::Session session(1);
  const std::string wrong = difference(program, options, session);
  if (wrong.empty())
    return true;
  // The same kind of difference, so that shrinking does not wander from one fault to another.
  const std::string kind = wrong.substr(0, 8);
  const Program small =
      shrink(program, [&](const Program &p) { return difference(p, options, session).rfind(kind, 0) == 0; });
  ADD_FAILURE() << origin << "\nmodel: " << describe(options) << "\n"
                << wrong << "\nshrunk: " << difference(small, options, session) << "\n"
                << toPir(small);
  return false;
}

// So that shards may share the work.
class Part : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(Part, RandomPrograms) {
  const std::uint64_t seed = firstSeed() + GetParam() * 100'000'000;
  const std::size_t programs = scaled(9'000);
  std::cout << "seed " << seed << ", " << programs << " programs\n";
  int differences = 0;
  for (std::size_t k = 0; k < programs && differences < 3; ++k) {
    Random random(seed + k);
    const Program program = randomProgram(random);
    differences += !agree(program, randomOptions(random), "seed " + std::to_string(seed + k));
  }
}

TEST(Differential, EveryModel) {
  const std::uint64_t seed = firstSeed() + 1'000'000'000;
  const std::size_t programs = scaled(300);
  std::cout << "seed " << seed << ", " << programs << " programs under " << usualOptions().size() << " models\n";
  int differences = 0;
  for (std::size_t k = 0; k < programs && differences < 3; ++k) {
    Random random(seed + k);
    const Program program = randomProgram(random);
    for (const Options &options : usualOptions())
      differences += !agree(program, options, "seed " + std::to_string(seed + k));
  }
}

TEST(Differential, AnyStreams) {
  const std::uint64_t seed = firstSeed() + 2'000'000'000;
  const std::size_t programs = scaled(1'000);
  std::cout << "seed " << seed << ", " << programs << " programs\n";
  int differences = 0;
  for (std::size_t k = 0; k < programs && differences < 3; ++k) {
    Random random(seed + k);
    const Program program = random.chance(50) ? randomPipeline(random, 24) : randomSoup(random, 16);
    Options options = randomOptions(random);
    options.streams = model::Streams::any;
    differences += !agree(program, options, "seed " + std::to_string(seed + k));
  }
}

// One random change of a small corpus Program each, under a random model.
TEST_P(Part, MutatedCorpus) {
  const std::uint64_t seed = firstSeed() + 3'000'000'000 + GetParam() * 100'000'000;
  const std::size_t mutants = scaled(2'300);
  std::vector<Program> programs;
  for (const char *suffix : {".csv", ".txt", ".json"})
    for (const std::string &file : testing::corpusFiles("", suffix)) {
      report::Report report;
      if (file.find("batches") == std::string::npos && cli::load(file, cli::Settings(), report) &&
          report.program.instructions.size() <= 160)
        programs.push_back(std::move(report.program));
    }
  ASSERT_GT(programs.size(), 50U);
  std::cout << "seed " << seed << ", " << mutants << " mutations of " << programs.size() << " corpus programs\n";
  int differences = 0;
  for (std::size_t k = 0; k < mutants && differences < 3; ++k) {
    Random random(seed + k);
    const Program &original = programs[k % programs.size()];
    const Mutation mutation = randomMutation(original, random);
    differences += !agree(apply(original, mutation), randomOptions(random),
                          original.name + ": " + describe(original, mutation) + ", seed " + std::to_string(seed + k));
  }
}

INSTANTIATE_TEST_SUITE_P(Differential, Part, ::testing::Range<std::uint64_t>(0, 4));

} // namespace
} // namespace plumbline::oracle
