#include "verifier/check/bubble.h"

namespace plumbline::check {
namespace {

std::uint64_t busyTimeOf(const Program &program, RankId rank, const model::Costs &costs) {
  std::uint64_t busy = 0;
  for (const Instruction &i : program.instructionsOf(rank))
    if (!model::isCommunication(i))
      busy += static_cast<std::uint64_t>(costs[i.opcode]);
  return busy;
}

} // namespace

std::optional<Bubble> bubbleOf(const Program &program, const model::Times &times, const model::Costs &costs) {
  Bubble bubble;
  bubble.makespan = static_cast<std::uint64_t>(times.makespan());
  bubble.ticksPerUnit = costs.ticksPerUnit;
  if (__builtin_mul_overflow(bubble.makespan, static_cast<std::uint64_t>(program.rankCount()), &bubble.total))
    return std::nullopt;
  bubble.idle = bubble.total;
  for (std::int32_t r = 0; r < program.rankCount(); ++r) {
    bubble.busy.push_back(busyTimeOf(program, RankId(r), costs));
    bubble.idle -= bubble.busy.back();
  }
  return bubble;
}

} // namespace plumbline::check
