// Every way to break a Program by changing one instruction, and a greedy search for a small Program that still shows
// what a large one showed.
#pragma once

#include "tests/differential/random.h"
#include "verifier/ir/program.h"

#include <functional>
#include <string>
#include <vector>

namespace plumbline::oracle {

enum class MutationKind : std::uint8_t {
  drop,
  duplicate,        // the copy stands right behind the original, in its group, and waits for the same
  swap,             // with the next instruction; across the edge of a group, the two units change places
  changePeer,       // of a send or receive
  changeSlot,       // of all that the instruction does in one slot; to another slot of the pool
  changeMicrobatch, // by one, together with the values that the instruction reads and writes
};

struct Mutation {
  MutationKind kind = MutationKind::drop;
  InstructionId instruction;
  RankId peer;             // changePeer
  PoolId pool;             // changeSlot
  std::int32_t slot = 0;   // changeSlot: from
  std::int32_t toSlot = 0; // changeSlot: to
  MicrobatchId microbatch; // changeMicrobatch: to
};

// All of them, for peers and slots at most two new ones each. Left out is what would make one instruction write two
// values into one slot.
std::vector<Mutation> allMutations(const Program &program);
// One of them at random, or a `drop` of no instruction where there is none.
Mutation randomMutation(const Program &program, Random &random);
// validate() accepts the result. Waits that a swap turns around, or whose instruction is dropped, are dropped.
Program apply(const Program &program, const Mutation &mutation);
std::string describe(const Program &program, const Mutation &mutation);

// A smaller Program for which `holds`; it must hold for `program`. Takes away ranks' tails, then single instructions,
// groups, waits and accesses while it holds.
Program shrink(const Program &program, const std::function<bool(const Program &)> &holds);

} // namespace plumbline::oracle
