// One number for every slot of a Program.
#pragma once

#include "verifier/ir/program.h"

#include <cstdint>
#include <vector>

namespace plumbline::runtime {

// Numbers the slots of a Program from 0, all ranks and pools together.
class SlotNumbers {
public:
  explicit SlotNumbers(const Program &program);
  [[nodiscard]] std::uint32_t count() const { return first_.back(); }
  [[nodiscard]] std::uint32_t of(const SlotAccess &access) const {
    return first_[static_cast<std::size_t>(access.pool.value())] + static_cast<std::uint32_t>(access.slot);
  }
  // Slots that the instructions name in one pool: the highest, plus one.
  [[nodiscard]] std::int32_t inPool(PoolId pool) const {
    const auto index = static_cast<std::size_t>(pool.value());
    return static_cast<std::int32_t>(first_[index + 1] - first_[index]);
  }

private:
  std::vector<std::uint32_t> first_; // per pool, and one more
};

} // namespace plumbline::runtime
