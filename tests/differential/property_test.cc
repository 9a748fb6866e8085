// Checks that the executor's shortcuts are none: what it concludes from few runs is compared with many random ones.
#include "tests/differential/any_streams.h"
#include "tests/differential/draft.h"
#include "tests/differential/executor.h"
#include "tests/differential/hazards.h"
#include "tests/differential/mutations.h"
#include "tests/differential/random_programs.h"

#include "gtest/gtest.h"

#include <set>

namespace plumbline::oracle {
namespace {

using model::Options;

TEST(Properties, EveryOrderOfStepsGetsEquallyFar) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Random random(seed);
    const Program p = randomProgram(random);
    const Options o = randomOptions(random);
    const Outcome fast = simulate(p, o);
    for (int run = 0; run < 3; ++run) {
      const Outcome slow = simulateInRandomOrder(p, o, random);
      ASSERT_EQ(slow.ended, fast.ended) << seed << "\n" << describe(p);
      for (std::size_t i = 0; i < fast.begin.size(); ++i) {
        ASSERT_EQ(slow.begin[i] >= 0, fast.begin[i] >= 0) << seed;
        ASSERT_EQ(slow.completion[i] >= 0, fast.completion[i] >= 0) << seed;
      }
    }
  }
}

// The value that a slot ends up with when accesses happen in this order must be the one that each reader expects.
bool readsAreRight(const Program &p, const Outcome &outcome) {
  struct Event {
    int time;
    int instruction;
    const SlotAccess *access;
  };
  std::vector<Event> events;
  for (std::size_t i = 0; i < p.instructions.size(); ++i)
    for (const SlotAccess &a : p.accessesOf(p.instructions[i]))
      // A read looks at the latest moment, a write changes the slot at the earliest and is there at the latest.
      if (outcome.begin[i] >= 0)
        events.push_back(
            {a.mode == AccessMode::write ? outcome.begin[i] : outcome.completion[i], static_cast<int>(i), &a});
  for (const Event &read : events) {
    if (read.access->mode != AccessMode::read)
      continue;
    const Event *last = nullptr;
    for (const Event &write : events)
      if (write.access->mode == AccessMode::write && write.access->pool == read.access->pool &&
          write.access->slot == read.access->slot && write.instruction != read.instruction &&
          (read.time < 0 || write.time < read.time) && (!last || last->time < write.time))
        last = &write;
    if (!last || !(last->access->value == read.access->value))
      return false;
    const int written = outcome.completion[static_cast<std::size_t>(last->instruction)];
    if (written < 0 || written > outcome.begin[static_cast<std::size_t>(read.instruction)])
      return false;
  }
  return true;
}

TEST(Properties, ProgramsWithoutHazardsReadWhatTheyExpectInEveryOrder) {
  int clean = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    Random random(seed);
    const Program p = randomProgram(random);
    const Options o = randomOptions(random);
    if (!findHazards(p, o).hazards.empty())
      continue;
    ++clean;
    for (int run = 0; run < 4; ++run)
      ASSERT_TRUE(readsAreRight(p, simulateInRandomOrder(p, o, random))) << seed << "\n" << describe(p);
  }
  EXPECT_GT(clean, 200);
}

TEST(Properties, RunningStreamsInAnyOrderIsSearchedCompletely) {
  int hanging = 0;
  int finishing = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    Random random(seed);
    const Program p = random.chance(50) ? randomPipeline(random, 30) : randomSoup(random, 16);
    Options o = randomOptions(random);
    o.kind = model::Kind::nccl;
    const std::optional<bool> all = streamsAnyHangsExhaustive(p, o, 20000);
    if (!all)
      continue;
    ASSERT_EQ(streamsAnyHangs(p, o), all) << seed << "\n" << describe(p);
    if (hangs(p, o)) {
      ASSERT_TRUE(*all) << seed << "\n" << describe(p);
      continue;
    }
    *all ? ++hanging : ++finishing;
  }
  EXPECT_GT(hanging, 50);
  EXPECT_GT(finishing, 50);
}

TEST(Properties, RandomProgramsAndTheirMutationsAreValid) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    Random random(seed);
    const Program p = randomProgram(random);
    ASSERT_EQ(validate(p), "") << seed;
    ASSERT_TRUE(identical(p, programOf(draftOf(p)))) << seed;
    for (const Mutation &m : allMutations(p)) {
      const Program mutant = apply(p, m);
      ASSERT_EQ(validate(mutant), "") << seed << " " << describe(p, m);
      EXPECT_TRUE(m.kind == MutationKind::swap || !identical(p, mutant)) << seed << " " << describe(p, m);
    }
    ASSERT_EQ(validate(apply(p, randomMutation(p, random))), "");
  }
}

TEST(Properties, RandomProgramsAreOfEverySort) {
  int finished = 0;
  int clean = 0;
  int grouped = 0;
  std::set<Opcode> opcodes;
  constexpr int programs = 2000;
  for (std::uint64_t seed = 0; seed < programs; ++seed) {
    Random random(seed);
    const Program p = randomProgram(random);
    const Options o = randomOptions(random);
    const bool finishes = !hangs(p, o);
    finished += finishes ? 1 : 0;
    clean += finishes && findHazards(p, o).hazards.empty() ? 1 : 0;
    grouped += p.groupCount > 0 ? 1 : 0;
    for (const Instruction &i : p.instructions)
      opcodes.insert(i.opcode);
    EXPECT_LE(p.instructions.size(), 80U);
  }
  for (const int count : {finished, clean, grouped}) {
    EXPECT_GT(count, programs / 10);
    EXPECT_LT(count, programs * 9 / 10);
  }
  EXPECT_GE(opcodes.size(), 18U);
  RecordProperty("finished", finished);
  RecordProperty("clean", clean);
}

TEST(Properties, ShrinkingKeepsWhatIsAskedFor) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    const Program p = randomProgram(random);
    const auto hasHazard = [](const Program &q) {
      return validate(q).empty() && !findHazards(q, Options()).hazards.empty();
    };
    if (!hasHazard(p))
      continue;
    const Program small = shrink(p, hasHazard);
    EXPECT_TRUE(hasHazard(small));
    EXPECT_LE(small.instructions.size(), 3U) << describe(small);
  }
}

TEST(Properties, EveryModelCanBeRun) {
  Random random(7);
  const Program p = randomPipeline(random);
  for (const Options &o : usualOptions())
    EXPECT_EQ(simulate(p, o).ended.size(), p.instructions.size());
}

} // namespace
} // namespace plumbline::oracle
