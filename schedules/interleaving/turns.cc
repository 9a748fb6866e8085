#include "schedules/interleaving/turns.h"

#include <algorithm>

namespace plumbline::schedules {

Turns::Turns(std::int32_t microbatches, std::int32_t chunks, std::int32_t group)
    : microbatches_(microbatches), chunks_(chunks), group_(std::min(group, microbatches)) {}

Turn Turns::operator[](std::int32_t turn) const {
  const std::int32_t first = turn / (group_ * chunks_) * group_; // microbatch of the turn's group
  const std::int32_t size = std::min(group_, microbatches_ - first);
  const std::int32_t within = turn - first * chunks_;
  return {within / size, first + within % size};
}

} // namespace plumbline::schedules
