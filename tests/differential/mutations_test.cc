#include "tests/differential/mutations.h"

#include "tests/differential/cells.h"
#include "tests/differential/executor.h"

#include "gtest/gtest.h"

#include <algorithm>

namespace plumbline::oracle {
namespace {

// Three ranks, one slot pool of two on the first.
Program example() {
  Program p = programOfCells({"0F0,0F1,0SEND_F0;0SEND_F1", "1RECV_F0,1F0,1SEND_F0", "2RECV_F0,2F0"});
  p.pools.push_back({"outputs", RankId(0), 2, -1, {}});
  p.accesses.push_back({PoolId(0), 0, AccessMode::write, {ValueKind::output, StageId(0), MicrobatchId(0)}});
  p.instructions[0].accesses = {0, 1};
  return p;
}

std::vector<std::string> mutantsOf(const Program &p, int instruction) {
  std::vector<std::string> all;
  for (const Mutation &m : allMutations(p))
    if (m.instruction == InstructionId(instruction))
      all.push_back(describe(p, m));
  return all;
}

// The opcodes of the rank after the mutation, one letter each.
std::string rankAfter(const Program &p, const Mutation &m, int rank) {
  std::string letters;
  const Program mutant = apply(p, m);
  EXPECT_EQ(validate(mutant), "");
  for (const Instruction &i : mutant.instructionsOf(RankId(rank)))
    letters += (i.opcode == Opcode::forward ? "F"
                : isSend(i.opcode)          ? "S"
                                            : "R") +
               std::to_string(i.microbatch.value());
  return letters;
}

Mutation plain(MutationKind kind, int instruction) {
  return {kind, InstructionId(instruction), RankId(), PoolId(), 0, 0, MicrobatchId()};
}

TEST(Mutations, AreListedWithTheirInstruction) {
  EXPECT_EQ(mutantsOf(example(), 0), (std::vector<std::string>{
                                         "drop rank 0 #0 forward s0 m0",
                                         "duplicate rank 0 #0 forward s0 m0",
                                         "swap rank 0 #0 forward s0 m0 with rank 0 #1 forward s0 m1",
                                         "change slot 0 of pool 0 to 1: rank 0 #0 forward s0 m0",
                                         "change microbatch to 1: rank 0 #0 forward s0 m0",
                                     }));
  EXPECT_EQ(mutantsOf(example(), 3), (std::vector<std::string>{
                                         "drop rank 0 #3 send_activation s0 m1 to 1 comm 0",
                                         "duplicate rank 0 #3 send_activation s0 m1 to 1 comm 0",
                                         "change peer to 2: rank 0 #3 send_activation s0 m1 to 1 comm 0",
                                         "change microbatch to 0: rank 0 #3 send_activation s0 m1 to 1 comm 0",
                                     }));
}

TEST(Mutations, ChangeOneRank) {
  const Program p = example();
  EXPECT_EQ(rankAfter(p, plain(MutationKind::drop, 1), 0), "F0S0S1");
  EXPECT_EQ(rankAfter(p, plain(MutationKind::duplicate, 2), 0), "F0F1S0S0S1");
  EXPECT_EQ(rankAfter(p, plain(MutationKind::swap, 2), 0), "F0F1S1S0");
  EXPECT_EQ(rankAfter(p, plain(MutationKind::swap, 1), 0), "F0S0S1F1") << "the group as a whole";
}

TEST(Mutations, CopiesStayInTheirGroup) {
  const Program mutant = apply(example(), plain(MutationKind::duplicate, 2));
  EXPECT_EQ(mutant.instructions[2].group, mutant.instructions[3].group);
  EXPECT_EQ(mutant.instructions[3].group, mutant.instructions[4].group);
}

TEST(Mutations, WaitsThatTurnAroundAreDropped) {
  const Program p = example();
  ASSERT_EQ(p.waitsOf(p.instructions[3]).size(), 1U);
  const Program mutant = apply(p, plain(MutationKind::swap, 1));
  EXPECT_TRUE(mutant.waitsOf(mutant.instructions[2]).empty());
  EXPECT_FALSE(mutant.waitsOf(mutant.instructions[1]).empty());
}

TEST(Mutations, ValuesChangeWithTheMicrobatch) {
  Mutation m = plain(MutationKind::changeMicrobatch, 0);
  m.microbatch = MicrobatchId(1);
  const Program mutant = apply(example(), m);
  EXPECT_EQ(mutant.accesses[0].value.microbatch, MicrobatchId(1));
}

TEST(Shrink, LeavesWhatHangs) {
  const Program p = programOfCells({"0F0,0F1,0SEND_F0,0RECV_B0,0B0", "1RECV_F0,1F0,1F1,1RECV_F1,1SEND_B0"});
  const Program small = shrink(p, [](const Program &q) { return hangs(q, model::Options()); });
  EXPECT_EQ(small.instructions.size(), 1U);
}

} // namespace
} // namespace plumbline::oracle
