#include "runtime/watch/watch.h"

#include <algorithm>

namespace plumbline::runtime {
namespace {

// As a float not a number, as an index far beyond everything.
constexpr unsigned char spoiled = 0xff;

} // namespace

Watch::Watch(const Plan &plan, const RunPlan &run, std::vector<RankWork *> ranks)
    : plan_(plan), run_(run), ranks_(std::move(ranks)), ledger_(*plan.program, Report::atWrite),
      spans_(plan.program->instructions.size()) {}

void Watch::reset(bool ledger, Trip trip) {
  keepsLedger_ = ledger;
  trip_ = std::move(trip);
  start_ = Clock::now();
  std::fill(spans_.begin(), spans_.end(), Span());
  if (!keepsLedger_)
    return;
  ledger_.reset();
  for (std::size_t r = 0; trip_ && r < ranks_.size(); ++r)
    if (const std::uint64_t bytes = run_.binding.ranks[r].slotBytes; ranks_[r] && bytes > 0)
      ranks_[r]->device().fill(ranks_[r]->at({0}), spoiled, bytes, ranks_[r]->stream());
}

void Watch::began(InstructionIndex i) {
  if (needsOthers(plan_.instruction(i)))
    spans_[i].begin = now();
  if (!keepsLedger_)
    return;
  const std::optional<Violation> violation = ledger_.begin(InstructionId(static_cast<std::int32_t>(i)));
  if (violation && trip_)
    trip_(i, describe(*plan_.program, *violation));
}

void Watch::completed(InstructionIndex i) {
  if (needsOthers(plan_.instruction(i)))
    spans_[i].end = now();
  if (!keepsLedger_)
    return;
  llvm::SmallVector<std::uint32_t, 4> dead;
  ledger_.complete(InstructionId(static_cast<std::int32_t>(i)), dead);
  if (!trip_)
    return;
  RankWork &rank = *ranks_[static_cast<std::size_t>(plan_.instruction(i).rank.value())];
  for (const std::uint32_t slot : dead)
    if (run_.binding.slotBytes[slot] > 0)
      rank.device().fill(rank.at(run_.binding.slots[slot]), spoiled, run_.binding.slotBytes[slot], rank.stream());
}

} // namespace plumbline::runtime
