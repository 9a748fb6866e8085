// The values that a Program's slots hold one after the other, and which of their accesses always come before which.
#pragma once

#include "tests/differential/execution.h"

namespace plumbline::oracle {

// One write of a value and the reads that find it there. Only instructions that can begin take part.
struct Instance {
  PoolId pool;
  int slot = 0;
  Value value;
  int writer = -1;            // instruction
  std::vector<int> readers;   // instructions, in order of begin
  bool pendingReader = false; // an instruction that never begins was to read the value
};

// A read that finds no instance.
struct LostRead {
  PoolId pool;
  int slot = 0;
  int reader = -1;
};

class Instances {
public:
  explicit Instances(const Layout &layout);

  // Those of one slot stand together, in the order in which their writes begin.
  const std::vector<Instance> &all() const { return all_; }
  const std::vector<LostRead> &lostReads() const { return lostReads_; }
  bool finished() const { return finished_; }
  // Some slot gets the same value several times, and which of these writes a read finds, or which comes first, is left
  // to chance. There are hazards then, but what lives how long is a matter of convention.
  bool ambiguous() const;

  // In every execution instruction a completes before b begins. Decided by putting off a's completion for ever: b
  // begins all the same exactly if it does not always wait for a. Both must be accesses that can begin.
  bool alwaysBefore(int a, int b) const {
    const std::size_t bit = layout_.unitOf[b];
    return !((begunWithout_[row_[a] * words_ + bit / 64] >> (bit % 64)) & 1U);
  }

private:
  void bind();
  void withholdEach();

  const Layout &layout_;
  Execution execution_;
  bool finished_ = false;
  std::vector<Instance> all_;
  std::vector<LostRead> lostReads_;
  std::size_t words_ = 0;
  std::vector<std::size_t> row_;            // per instruction
  std::vector<std::uint64_t> begunWithout_; // per row, one bit per unit
};

} // namespace plumbline::oracle
