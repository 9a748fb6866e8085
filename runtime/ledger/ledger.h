// What every slot holds at this moment, and who is at work on it: the dynamic twin of the rules about buffers (PL4).
//
// A slot is in use by an instruction from its begin until its completion. A violation is what the verifier calls a
// hazard, seen to happen: a write while someone still uses the slot, a read of a value that is not there, or not yet
// complete, and a write over a value that nothing will ever have read.
#pragma once

#include "runtime/ledger/slot_numbers.h"
#include "verifier/ir/program.h"

#include "llvm/ADT/SmallVector.h"

#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace plumbline::runtime {

enum class ViolationKind : std::uint8_t {
  overwritten, // the slot was written while another instruction was using it
  needed,      // the slot was written, and another instruction has still to read what was there
  incomplete,  // a value was read while it was being written
  missing,     // the slot held something else than the value that was to be read
  unread,      // a value was overwritten that nothing reads
};

struct Violation {
  ViolationKind kind = ViolationKind::missing;
  InstructionId instruction; // the one that began when it happened
  InstructionId other;       // the one that it collides with; none for a slot that was never written
  PoolId pool;
  std::int32_t slot = 0;
  Value expected; // by whoever reads; of `unread`: what was lost
  Value found;    // what is there
};

// A sentence for people, with both instructions and the place of the first in its file.
std::string describe(const Program &program, const Violation &violation);

// When a value that is overwritten before its last read is reported.
enum class Report : std::uint8_t {
  atWrite, // as soon as it is lost: where the mistake is
  atRead,  // once the reader begins and finds something else: only if it does begin, and not behind a hang
};

// Calls for instructions of different ranks may come from different threads at once.
class Ledger {
public:
  Ledger(const Program &program, Report report);

  // All slots empty.
  void reset();
  // The instruction begins to use its slots. Members of a group begin one by one, in any order.
  std::optional<Violation> begin(InstructionId instruction);
  // It is done with them. Adds the slots, by number, whose values nothing will read any more.
  void complete(InstructionId instruction, llvm::SmallVectorImpl<std::uint32_t> &dead);
  // The most slots of a pool that held a value with a reader to come, or in use, at one time since the start.
  [[nodiscard]] std::int32_t peak(PoolId pool) const { return peaks_[static_cast<std::size_t>(pool.value())]; }

private:
  struct Slot {
    bool written = false;
    bool writing = false;
    bool read = false;                           // something has read the value since it was written
    bool live = false;                           // counted as holding a value
    Value value;                                 // the last that was begun to be written, if `written`
    std::uint32_t key = 0;                       // of `value`
    std::uint32_t instance = 0;                  // which writing of that value
    InstructionId writer;                        // who wrote it, or is writing it
    InstructionId lost;                          // who wrote the same value before, if nothing read that
    llvm::SmallVector<InstructionId, 2> readers; // at this moment
  };
  // Of one value in one slot; or of one writing of it.
  struct Reads {
    std::uint32_t all = 0; // reads of it in the Program
    std::uint32_t begun = 0;
  };

  void enliven(Slot &slot, PoolId pool);
  std::optional<Violation> beginRead(InstructionId instruction, std::size_t access);
  std::optional<Violation> beginWrite(InstructionId instruction, std::size_t access);

  void bindReads();
  [[nodiscard]] InstructionId readerToCome(const Slot &slot) const;

  const Program &program_;
  const Report report_;
  SlotNumbers numbers_;
  std::vector<Slot> slots_;
  std::vector<std::mutex> mutexes_; // per rank
  std::vector<std::uint32_t> keys_; // per access of the Program: its slot and value, as an index into reads_
  std::vector<Reads> reads_;
  // A value may be written to its slot several times. A read is of the last writing before it in issue order.
  std::vector<std::uint32_t> instances_; // per access: the writing, as an index into instanceReads_
  std::vector<Reads> instanceReads_;
  std::vector<std::int32_t> live_, peaks_; // per pool
};

} // namespace plumbline::runtime
