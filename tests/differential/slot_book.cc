#include "tests/differential/slot_book.h"

#include <algorithm>

namespace plumbline::oracle {
namespace {

void addWait(Line &line, int key) {
  if (key >= 0 && key != line.key && std::find(line.waits.begin(), line.waits.end(), key) == line.waits.end())
    line.waits.push_back(key);
}

} // namespace

SlotBook::SlotBook(Draft &draft, Random &random)
    : draft_(draft), random_(random),
      choice_(random.pickOf({Choice::free, Choice::free, Choice::inTurn, Choice::random})),
      careOfReuse_(random.pickOf({0, 80, 100, 100})), careOfValues_(random.pickOf({70, 100, 100, 100})) {}

PoolId SlotBook::addPool(const char *name, RankId rank, int slots) {
  Pool pool;
  pool.name = name;
  pool.rank = rank;
  pool.declared = random_.chance(70) ? slots : -1;
  draft_.header.pools.push_back(pool);
  pools_.emplace_back(static_cast<std::size_t>(slots));
  turn_.push_back(0);
  return PoolId(static_cast<std::int32_t>(pools_.size()) - 1);
}

int SlotBook::take(PoolId pool) {
  const int size = slots(pool);
  if (choice_ == Choice::random)
    return random_.below(size);
  if (choice_ == Choice::free)
    for (int s = 0; s < size; ++s)
      if (at(pool, s).readsLeft == 0)
        return s;
  return turn_[pool.value()]++ % size;
}

void SlotBook::write(Line &line, PoolId pool, int slot, Value value, int reads) {
  Slot &s = at(pool, slot);
  for (const int key : s.touchedBy)
    if (random_.chance(careOfReuse_))
      addWait(line, key);
  s = {value, line.key, reads, {line.key}};
  line.accesses.push_back({pool, slot, AccessMode::write, value});
}

void SlotBook::read(Line &line, PoolId pool, int slot, Value value) {
  Slot &s = at(pool, slot);
  if (s.value == value) {
    if (random_.chance(careOfValues_))
      addWait(line, s.writer);
    s.readsLeft = std::max(0, s.readsLeft - 1);
  }
  s.touchedBy.push_back(line.key);
  line.accesses.push_back({pool, slot, AccessMode::read, value});
}

} // namespace plumbline::oracle
