#include "runtime/ledger/slot_numbers.h"

#include <algorithm>

namespace plumbline::runtime {

SlotNumbers::SlotNumbers(const Program &program) : first_(program.pools.size() + 1, 0) {
  for (const SlotAccess &access : program.accesses) {
    std::uint32_t &count = first_[static_cast<std::size_t>(access.pool.value()) + 1];
    count = std::max(count, static_cast<std::uint32_t>(access.slot) + 1);
  }
  for (std::size_t pool = 1; pool < first_.size(); ++pool)
    first_[pool] += first_[pool - 1];
}

} // namespace plumbline::runtime
