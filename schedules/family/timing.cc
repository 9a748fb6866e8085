#include "schedules/family/timing.h"

#include <algorithm>
#include <utility>

namespace plumbline::schedules {
namespace {

constexpr std::int64_t notYet = -1;

class Simulation {
public:
  Simulation(const Schedule &schedule, const Costs &costs)
      : schedule_(schedule), costs_(costs), next_(schedule.ranks.size()) {
    const std::size_t pairs = static_cast<std::size_t>(schedule.stagesPerReplica) *
                              static_cast<std::size_t>(schedule.replicas) *
                              static_cast<std::size_t>(schedule.microbatches);
    forwarded_.resize(pairs, notYet);
    differentiated_.resize(pairs, notYet);
    rankOf_.resize(static_cast<std::size_t>(schedule.stagesPerReplica) * static_cast<std::size_t>(schedule.replicas),
                   -1);
    for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank)
      for (const Action &action : schedule.ranks[rank])
        if (action.stage.valid())
          rankOf_[static_cast<std::size_t>(action.stage.value())] = static_cast<std::int32_t>(rank);
    timing_.busy.resize(schedule.ranks.size());
    timing_.first.resize(schedule.ranks.size(), notYet);
    timing_.last.resize(schedule.ranks.size());
  }

  std::optional<Timing> run() {
    // A rank that waits is looked at again when the rank it waits for has moved on.
    std::vector<std::size_t> ready;
    for (std::size_t rank = schedule_.ranks.size(); rank-- > 0;)
      ready.push_back(rank);
    std::vector<std::vector<std::size_t>> waiting(schedule_.ranks.size());
    while (!ready.empty()) {
      const std::size_t rank = ready.back();
      ready.pop_back();
      bool moved = false;
      std::int32_t awaited = -1;
      while (next_[rank] < schedule_.ranks[rank].size() && step(rank, awaited))
        moved = true;
      if (next_[rank] < schedule_.ranks[rank].size()) {
        if (awaited < 0 || static_cast<std::size_t>(awaited) == rank)
          return std::nullopt; // its own later action, or one that no rank has
        waiting[static_cast<std::size_t>(awaited)].push_back(rank);
      }
      if (moved)
        for (const std::size_t other : std::exchange(waiting[rank], {}))
          ready.push_back(other);
    }
    for (std::size_t rank = 0; rank < schedule_.ranks.size(); ++rank)
      if (next_[rank] < schedule_.ranks[rank].size())
        return std::nullopt;
    for (std::int64_t &first : timing_.first)
      first = std::max<std::int64_t>(first, 0);
    return std::move(timing_);
  }

private:
  [[nodiscard]] std::size_t pair(StageId stage, MicrobatchId m) const {
    return static_cast<std::size_t>(stage.value()) * static_cast<std::size_t>(schedule_.microbatches) +
           static_cast<std::size_t>(m.value());
  }
  [[nodiscard]] bool known(const Action &a) const {
    return a.stage.valid() && a.microbatch.valid() && a.microbatch.value() < schedule_.microbatches &&
           static_cast<std::size_t>(a.stage.value()) < rankOf_.size();
  }

  [[nodiscard]] std::int64_t costOf(Opcode opcode) const {
    switch (opcode) {
    case Opcode::forward:
      return costs_.forward;
    case Opcode::backward:
      return costs_.backward;
    case Opcode::backward_input:
      return costs_.backwardInput;
    case Opcode::backward_weight:
      return costs_.backwardWeight;
    case Opcode::recompute:
      return costs_.recompute;
    default:
      return 0;
    }
  }

  // When what another action makes for this one is there; notYet with the rank that makes it.
  std::int64_t inputTime(std::size_t rank, const Action &a, std::int32_t &awaited) const {
    if (!known(a))
      return 0;
    const auto from = [&](const std::vector<std::int64_t> &made, std::int32_t stage) {
      const std::int32_t maker = rankOf_[static_cast<std::size_t>(stage)];
      const std::int64_t time = made[pair(StageId(stage), a.microbatch)];
      if (time == notYet)
        awaited = maker;
      return time == notYet ? notYet : time + (maker == static_cast<std::int32_t>(rank) ? 0 : costs_.message);
    };
    const std::int32_t stage = a.stage.value(), position = stage % schedule_.stagesPerReplica;
    switch (a.opcode) {
    case Opcode::forward:
      return position == 0 ? 0 : from(forwarded_, stage - 1);
    case Opcode::backward:
    case Opcode::backward_input:
      return position == schedule_.stagesPerReplica - 1 ? from(forwarded_, stage) : from(differentiated_, stage + 1);
    case Opcode::recompute:
      return from(forwarded_, stage);
    case Opcode::backward_weight:
      return from(differentiated_, stage);
    default:
      return 0;
    }
  }

  // Runs the rank's next action or call; false if it must wait, with the rank it waits for.
  bool step(std::size_t rank, std::int32_t &awaited) {
    const std::vector<Action> &row = schedule_.ranks[rank];
    const std::size_t begin = next_[rank];
    std::size_t end = begin + 1;
    while (end < row.size() && row[begin].group.valid() && row[end].group == row[begin].group)
      ++end;
    std::int64_t start = timing_.last[rank], cost = 0;
    for (std::size_t k = begin; k < end; ++k) {
      const std::int64_t input = inputTime(rank, row[k], awaited);
      if (input == notYet)
        return false;
      start = std::max(start, input);
      cost += costOf(row[k].opcode);
    }
    if (cost > 0 && timing_.first[rank] == notYet)
      timing_.first[rank] = start;
    for (std::size_t k = begin; k < end; ++k)
      finish(row[k], start + cost);
    timing_.busy[rank] += cost;
    timing_.last[rank] = start + cost;
    timing_.makespan = std::max(timing_.makespan, timing_.last[rank]);
    next_[rank] = end;
    return true;
  }

  void finish(const Action &a, std::int64_t time) {
    if (!known(a))
      return;
    if (a.opcode == Opcode::forward)
      forwarded_[pair(a.stage, a.microbatch)] = time;
    else if (a.opcode == Opcode::backward || a.opcode == Opcode::backward_input)
      differentiated_[pair(a.stage, a.microbatch)] = time;
  }

  const Schedule &schedule_;
  const Costs &costs_;
  std::vector<std::size_t> next_;            // by rank: its first action that has not run
  std::vector<std::int64_t> forwarded_;      // by stage and microbatch: end of the forward pass
  std::vector<std::int64_t> differentiated_; // the same of the backward pass or its input half
  std::vector<std::int32_t> rankOf_;         // by stage
  Timing timing_;
};

} // namespace

std::int64_t Timing::bubble() const {
  std::int64_t most = 0;
  for (std::size_t rank = 0; rank < busy.size(); ++rank)
    most = std::max(most, idle(rank));
  return most;
}

std::optional<Timing> simulate(const Schedule &computeOnly, const Costs &costs) {
  return Simulation(computeOnly, costs).run();
}

std::vector<std::int64_t> mostInFlight(const Schedule &computeOnly) {
  std::vector<std::int64_t> result;
  for (const std::vector<Action> &row : computeOnly.ranks) {
    std::int64_t now = 0, most = 0;
    for (const Action &action : row) {
      if (action.opcode == Opcode::forward)
        most = std::max(most, ++now);
      else if (action.opcode == Opcode::backward || action.opcode == Opcode::backward_weight)
        --now;
    }
    result.push_back(most);
  }
  return result;
}

} // namespace plumbline::schedules
