#include "verifier/lower/reassign_slots.h"

#include <algorithm>

namespace plumbline::lower {

void reassignSlots(Program &program, llvm::ArrayRef<std::int32_t> slots) {
  for (std::size_t a = 0; a < slots.size(); ++a)
    if (slots[a] >= 0)
      program.accesses[a].slot = slots[a];
  std::vector<std::int32_t> used(program.pools.size(), 0);
  for (const SlotAccess &access : program.accesses) {
    std::int32_t &count = used[static_cast<std::size_t>(access.pool.value())];
    count = std::max(count, access.slot + 1);
  }
  for (std::size_t p = 0; p < program.pools.size(); ++p) {
    Pool &pool = program.pools[p];
    pool.declaration = -1;
    if (pool.declared >= 0)
      pool.declared = used[p];
  }
}

} // namespace plumbline::lower
