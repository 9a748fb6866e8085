#include "runtime/stages/plan.h"

namespace plumbline::stages {

void Plan::beginPart(std::uint64_t identity) {
  workspace_.clear();
  nextIdentity_ = identity << 8;
}

Parameter Plan::add(std::int64_t count, float constant, float deviation) {
  const std::uint64_t offset = parameters_.take(static_cast<std::uint64_t>(count));
  const Parameter parameter{static_cast<std::int64_t>(offset), count};
  firstValues_.push_back({parameter, constant, deviation, nextIdentity_++});
  return parameter;
}

Borrowed Plan::borrowBytes(std::uint64_t count) {
  const Borrowed piece{workspace_.take(count)};
  mostWorkspace_ = std::max(mostWorkspace_, workspace_.size());
  return piece;
}

} // namespace plumbline::stages
