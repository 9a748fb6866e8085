// What each slot holds over time: value instances (a write and the reads bound to it), and lives (instances joined by
// instructions that work in place).
#pragma once

#include "verifier/check/context.h"

#include "llvm/ADT/SmallVector.h"

namespace plumbline::check {

struct Instance {
  const SlotAccess *access = nullptr; // the write: slot and value
  InstructionId writer;
  llvm::SmallVector<InstructionId, 4> readers; // in order of begin
  std::int32_t life = -1;                      // index into PoolHistory::lives
  bool readerBehindHang = false;               // something that never begins was to read the value
};

// From the first write of a value until its last read; values that an instruction replaces in place share one life.
struct Life {
  llvm::SmallVector<std::uint32_t, 2> instances; // indices into PoolHistory::instances, in order of begin
};

struct DanglingRead {
  InstructionId reader;
  const SlotAccess *access = nullptr; // what it expected; nothing writes that
  InstructionId lastWriter;           // of another value into this slot before it, if any
  const SlotAccess *lastAccess = nullptr;
};

struct PoolHistory {
  PoolId pool;
  std::vector<Instance> instances;       // by slot, then in order of the writer's begin
  std::vector<std::uint32_t> slotStarts; // first instance of each used slot; the last is instances.size()
  std::vector<Life> lives;
  std::vector<DanglingRead> dangling;
};

// The histories of all pools that some instruction touches, in order of pool. Accesses of instructions that never
// begin (behind a hang) are left out. A read binds to the latest write of its value that begins before it in `order`,
// else to the first. O(n log n) in accesses.
std::vector<PoolHistory> slotHistories(const Program &program, const model::EventGraph &graph,
                                       const model::Order &order);

} // namespace plumbline::check
