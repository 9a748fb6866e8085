#include "verifier/check/budget.h"

#include "verifier/check/context.h"
#include "verifier/ir/words.h"

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace plumbline::check {
namespace {

// What each pool has: its count, and whether any instruction uses it.
struct PoolUse {
  const SlotCount *count = nullptr; // null: not counted
  bool used = false;
};

std::vector<PoolUse> poolUses(const Context &context) {
  std::vector<PoolUse> uses(context.program.pools.size());
  for (const SlotAccess &access : context.program.accesses)
    uses[static_cast<std::size_t>(access.pool.value())].used = true;
  for (const SlotCount &count : context.slots)
    uses[static_cast<std::size_t>(count.pool.value())].count = &count;
  return uses;
}

std::optional<std::int32_t> limitOf(const Pool &pool, llvm::ArrayRef<SlotLimit> limits) {
  std::optional<std::int32_t> most;
  for (const SlotLimit &limit : limits)
    if (limit.pool.empty() || limit.pool == pool.name)
      most = std::min(most.value_or(limit.most), limit.most);
  return most;
}

std::string nameOf(const Pool &pool) { return "pool '" + pool.name + "' of rank " + std::to_string(pool.rank.value()); }

// "declares 4 slots and needs 3 in this order", as far as either is known.
std::string slotsOf(const Pool &pool, std::int32_t least) {
  std::string text;
  if (pool.declared >= 0)
    text = "declares " + counted(static_cast<std::size_t>(pool.declared), "slot") + " and ";
  if (least < 0)
    return text + "needs a number in this order that is not known";
  text += "needs " + (pool.declared >= 0 ? std::to_string(least) : counted(static_cast<std::size_t>(least), "slot"));
  return text + " in this order";
}

void reportTooMany(const Context &context, const Pool &pool, const PoolUse &use, std::int32_t most) {
  const std::int32_t least = use.count ? use.count->least : use.used ? -1 : 0;
  Finding finding;
  finding.rule = RuleId::slots_over_limit;
  finding.location = pool.location;
  if (use.count && !use.count->witness.empty()) {
    // The first value for which the slots allowed do not suffice; if they do, it is the declaration that exceeds them.
    const llvm::ArrayRef<InstructionId> witness = use.count->witness;
    const InstructionId beyond = witness[std::min(static_cast<std::size_t>(most), witness.size() - 1)];
    if (least > most || !pool.location.valid())
      finding = context.at(RuleId::slots_over_limit, beyond, "");
    else
      finding.stage = context.program.at(beyond).stage;
    for (const InstructionId birth : witness)
      finding.related.push_back(
          {birth, "live together with the others: written by " + fullNameOf(context.program, birth)});
  }
  finding.rank = pool.rank;
  finding.message = nameOf(pool) + " " + slotsOf(pool, least) + ": more than the " + std::to_string(most) + " allowed";
  context.findings.add(std::move(finding));
}

void checkSlotLimits(const Context &context, llvm::ArrayRef<SlotLimit> limits) {
  const std::vector<PoolUse> uses = poolUses(context);
  std::vector<const Pool *> open; // within the limit as far as known
  for (const auto &[k, pool] : llvm::enumerate(context.program.pools)) {
    const std::optional<std::int32_t> most = limitOf(pool, limits);
    if (!most)
      continue;
    const PoolUse &use = uses[k];
    if (pool.declared > *most || (use.count && use.count->least > *most))
      reportTooMany(context, pool, use, *most);
    else if (use.used && (!use.count || use.count->least < 0))
      open.push_back(&pool);
  }
  if (open.empty() || (context.findings.anyError && !context.order.complete(context.graph)))
    return; // what cannot finish has an error, and its slots are not counted for that reason
  context.undecided.push_back("limit on buffers: the least number of slots is not known for " + nameOf(*open.front()) +
                              (open.size() > 1 ? " and " + counted(open.size() - 1, "other") : ""));
}

std::uint32_t costOf(Opcode opcode) {
  switch (opcode) {
  case Opcode::forward:
  case Opcode::backward_input:
  case Opcode::backward_weight:
  case Opcode::recompute:
    return 1;
  case Opcode::backward:
    return 2;
  default:
    return 0;
  }
}

// The earliest times of a program that finishes. A time is at most the cost of all instructions (limits.h: 20 million,
// 2 each), which fits 32 bits.
class StepTimes {
public:
  explicit StepTimes(const Context &context) : program_(context.program), graph_(context.graph) {
    addUpCosts();
    times_.assign(graph_.eventCount(), 0);
    for (const model::Event event : context.order.sequence) {
      makespan_ = std::max(makespan_, times_[event]);
      for (const model::Edge &edge : graph_.out(event))
        times_[edge.to] = std::max(times_[edge.to], times_[event] + durationOf(edge));
    }
  }

  [[nodiscard]] std::uint32_t makespan() const { return makespan_; }

  // When an instruction begins to compute.
  [[nodiscard]] std::uint32_t begin(InstructionId i) const {
    return times_[graph_.begin(i)] + spent_[static_cast<std::size_t>(i.value())] - costOf(program_.at(i).opcode);
  }

private:
  void addUpCosts() {
    spent_.reserve(program_.instructions.size());
    for (const auto &[k, i] : llvm::enumerate(program_.instructions)) {
      const bool continues = k > 0 && graph_.units.unitOf[k] == graph_.units.unitOf[k - 1];
      spent_.push_back((continues ? spent_.back() : 0) + costOf(i.opcode));
    }
  }

  // How long it takes from the begin of a unit to the end of it or of one member.
  [[nodiscard]] std::uint32_t durationOf(const model::Edge &edge) const {
    if (edge.reason != model::Reason::duration)
      return 0;
    switch (graph_.kindOf(edge.to)) {
    case model::EventKind::end: {
      const model::Unit &unit = graph_.units.units[graph_.unitOf(graph_.instructionOf(edge.to))];
      return spent_[unit.firstInstruction + unit.memberCount - 1];
    }
    case model::EventKind::completion:
      return spent_[static_cast<std::size_t>(graph_.instructionOf(edge.to).value())];
    default: // hosts that connect
      return 0;
    }
  }

  const Program &program_;
  const model::EventGraph &graph_;
  std::vector<std::uint32_t> spent_; // per instruction: its cost and that of the members of its unit before it
  std::vector<std::uint32_t> times_; // per event
  std::uint32_t makespan_ = 0;
};

std::uint64_t busyTimeOf(const Program &program, RankId rank) {
  std::uint64_t busy = 0;
  for (const Instruction &i : program.instructionsOf(rank))
    busy += costOf(i.opcode);
  return busy;
}

struct Gap {
  InstructionId place; // what ends it; for the gap at the end of the step, what it follows
  std::uint32_t from = 0, to = 0;
};

// The longest time for which a rank computes nothing, the first of equals. No place if it never computes.
Gap longestGap(const Program &program, const StepTimes &times, RankId rank) {
  const IndexRange range = program.ranks[static_cast<std::size_t>(rank.value())].instructions;
  Gap longest;
  InstructionId last;
  std::uint32_t free = 0; // since when
  const auto consider = [&](InstructionId place, std::uint32_t to) {
    if (!longest.place.valid() || to - free > longest.to - longest.from)
      longest = {place, free, to};
  };
  for (std::uint32_t k = range.first; k < range.first + range.count; ++k) {
    const InstructionId id(static_cast<std::int32_t>(k));
    const std::uint32_t cost = costOf(program.at(id).opcode);
    if (cost == 0)
      continue;
    consider(id, times.begin(id));
    free = times.begin(id) + cost;
    last = id;
  }
  if (last.valid())
    consider(last, times.makespan());
  return longest;
}

// "27.27%", rounded
std::string percent(std::uint64_t part, std::uint64_t whole) {
  const std::uint64_t hundredths = (part * 10'000 + whole / 2) / whole;
  const std::string digits = std::to_string(hundredths % 100);
  return std::to_string(hundredths / 100) + "." + (digits.size() < 2 ? "0" : "") + digits + "%";
}

void reportBubble(const Context &context, const StepTimes &times, const Bubble &bubble, const Share &most, RankId rank,
                  std::uint64_t busy) {
  Finding finding;
  finding.rule = RuleId::bubble_over_limit;
  const Gap gap = longestGap(context.program, times, rank);
  if (gap.place.valid()) {
    finding = context.at(RuleId::bubble_over_limit, gap.place, "");
    finding.related.push_back({gap.place, "rank " + std::to_string(rank.value()) + " idles longest " +
                                              (gap.to == bubble.makespan ? "after" : "before") + " this: from time " +
                                              std::to_string(gap.from) + " to " + std::to_string(gap.to)});
  } else if (!context.program.files.empty()) {
    finding.location.file = FileId(0);
  }
  finding.rank = rank;
  finding.message = "the bubble is " + percent(bubble.idle, bubble.total) + ", more than the " + most.text +
                    " allowed: of " + std::to_string(bubble.total) + " units of time on all ranks, " +
                    std::to_string(bubble.idle) + " are idle; rank " + std::to_string(rank.value()) +
                    " idles most, for " + std::to_string(bubble.makespan - busy) + " of " +
                    std::to_string(bubble.makespan) + "; more microbatches make the share smaller";
  context.findings.add(std::move(finding));
}

// idle / total > parts / whole. The products need up to 106 bits.
bool exceeds(const Bubble &bubble, const Share &most) {
  const auto wide = [](std::uint64_t n) { return llvm::APInt(128, n); };
  return (wide(bubble.idle) * wide(most.whole)).ugt(wide(most.parts) * wide(bubble.total));
}

Bubble checkBubble(const Context &context, const Share &most) {
  Bubble bubble;
  if (!context.order.complete(context.graph)) {
    if (!context.findings.anyError)
      context.undecided.emplace_back("limit on the bubble: the program cannot finish");
    return bubble;
  }
  const StepTimes times(context);
  bubble.makespan = times.makespan();
  bubble.total = bubble.makespan * static_cast<std::uint64_t>(context.program.rankCount());
  bubble.idle = bubble.total;
  RankId idlest;
  std::uint64_t leastBusy = 0;
  for (std::int32_t r = 0; r < context.program.rankCount(); ++r) {
    const std::uint64_t busy = busyTimeOf(context.program, RankId(r));
    bubble.idle -= busy;
    if (!idlest.valid() || busy < leastBusy) {
      idlest = RankId(r);
      leastBusy = busy;
    }
  }
  if (exceeds(bubble, most))
    reportBubble(context, times, bubble, most, idlest, leastBusy);
  return bubble;
}

} // namespace

void checkBudget(const Context &context, const Limits &limits, std::optional<Bubble> &bubble) {
  if (!limits.slots.empty())
    checkSlotLimits(context, limits.slots);
  if (limits.bubble)
    bubble = checkBubble(context, *limits.bubble);
}

} // namespace plumbline::check
