// Keeps account of slots while a random Program is written: who has touched a slot, and which slot to take next.
#pragma once

#include "tests/differential/draft.h"
#include "tests/differential/random.h"

namespace plumbline::oracle {

class SlotBook {
public:
  // Draws how slots are chosen and how careful the Program is about waits.
  SlotBook(Draft &draft, Random &random);

  PoolId addPool(const char *name, RankId rank, int slots);
  int slots(PoolId pool) const { return static_cast<int>(pools_[pool.value()].size()); }

  // The slot for the next value of the pool.
  int take(PoolId pool);
  // What was last written into the slot; a value that nothing wrote has no stage.
  Value valueIn(PoolId pool, int slot) const { return at(pool, slot).value; }
  // Lets the line write the value, after those that have touched the slot before, if the Program is careful.
  // The slot counts as free after `reads` reads.
  void write(Line &line, PoolId pool, int slot, Value value, int reads);
  // Lets the line read what it expects, after the write, if the Program is careful.
  void read(Line &line, PoolId pool, int slot, Value value);

private:
  struct Slot {
    Value value;
    int writer = -1;
    int readsLeft = 0;
    std::vector<int> touchedBy; // since the last write, that write included
  };
  enum class Choice { free, inTurn, random };

  Slot &at(PoolId pool, int slot) { return pools_[pool.value()][slot]; }
  const Slot &at(PoolId pool, int slot) const { return pools_[pool.value()][slot]; }

  Draft &draft_;
  Random &random_;
  Choice choice_;
  int careOfReuse_;  // percent
  int careOfValues_; // percent
  std::vector<std::vector<Slot>> pools_;
  std::vector<int> turn_;
};

} // namespace plumbline::oracle
