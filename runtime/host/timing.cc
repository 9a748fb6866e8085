#include "runtime/host/timing.h"

#include "llvm/ADT/DenseSet.h"

#include <vector>

namespace plumbline::runtime {
namespace {

// splitmix64 (Steele, Lea, Flood 2014): the same numbers everywhere.
class Numbers {
public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t below(std::uint64_t limit) {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return (z ^ (z >> 31U)) % limit;
  }

private:
  std::uint64_t state_;
};

// The events that may happen now, apart from those put off.
class Choice {
public:
  Choice(std::uint64_t seed, Delay delay) : numbers_(seed), random_(seed != 0), delay_(delay) {}

  Agenda &agenda() { return arriving_; }

  std::optional<Event> next() {
    for (const Event event : arriving_)
      if (event.kind == Event::Kind::begin && event.index == delay_.begin)
        delayedBegin_ = event;
      else if (event.kind == Event::Kind::complete && event.index == delay_.completion)
        delayedCompletion_ = event;
      else
        free_.push_back(event);
    arriving_.clear();
    if (free_.empty())
      return std::exchange(delayedBegin_ ? delayedBegin_ : delayedCompletion_, std::nullopt);
    if (random_)
      std::swap(free_[numbers_.below(free_.size())], free_.back());
    const Event event = free_.back();
    free_.pop_back();
    return event;
  }

private:
  Numbers numbers_;
  bool random_;
  Delay delay_;
  Agenda arriving_, free_;
  std::optional<Event> delayedBegin_, delayedCompletion_;
};

struct Touch {
  InstructionIndex instruction = 0;
  bool writes = false;
};

// By slot, who touches it, in issue order.
std::vector<std::vector<Touch>> touchesOf(const Program &program) {
  const SlotNumbers numbers(program);
  std::vector<std::vector<Touch>> touches(numbers.count());
  for (InstructionIndex i = 0; i < program.instructions.size(); ++i)
    for (const SlotAccess &access : program.accessesOf(program.instructions[i])) {
      std::vector<Touch> &all = touches[numbers.of(access)];
      const bool writes = access.mode == AccessMode::write;
      if (!all.empty() && all.back().instruction == i)
        all.back().writes |= writes;
      else
        all.push_back({i, writes});
    }
  return touches;
}

} // namespace

void LedgerEffects::began(InstructionIndex i) {
  const std::optional<Violation> violation = ledger_.begin(InstructionId(static_cast<std::int32_t>(i)));
  if (violation && !violation_)
    violation_ = violation;
}

void LedgerEffects::completed(InstructionIndex i) {
  llvm::SmallVector<std::uint32_t, 4> dead;
  ledger_.complete(InstructionId(static_cast<std::int32_t>(i)), dead);
}

bool runOnce(const Plan &plan, Machine &machine, LedgerEffects &effects, std::uint64_t seed, Delay delay) {
  machine.reset();
  effects.reset();
  Choice choice(seed, delay);
  for (std::int32_t rank = 0; rank < plan.program->rankCount(); ++rank)
    machine.start(rank, choice.agenda());
  while (const std::optional<Event> event = choice.next()) {
    machine.happen(*event, choice.agenda());
    if (effects.violation())
      return false;
  }
  return machine.finished();
}

std::optional<Violation> findViolation(const Plan &plan, std::uint64_t seed, int seeds) {
  LedgerEffects effects(*plan.program);
  Machine machine(plan, effects);
  const auto trips = [&](std::uint64_t order, Delay delay) {
    runOnce(plan, machine, effects, order, delay);
    return effects.violation().has_value();
  };
  for (int k = 0; k <= seeds; ++k)
    if (trips(k == 0 ? 0 : seed + static_cast<std::uint64_t>(k), Delay()))
      return effects.violation();
  llvm::DenseSet<std::pair<std::uint32_t, std::uint32_t>> tried;
  for (const std::vector<Touch> &touches : touchesOf(*plan.program))
    for (const Touch &late : touches)
      for (const Touch &longer : touches) {
        if (late.instruction == longer.instruction || (!late.writes && !longer.writes))
          continue;
        const Delay delay{plan.stepOf[late.instruction], longer.instruction};
        if (tried.insert({delay.begin, delay.completion}).second && trips(0, delay))
          return effects.violation();
      }
  return std::nullopt;
}

} // namespace plumbline::runtime
