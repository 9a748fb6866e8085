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
  finding.pool = PoolId(static_cast<std::int32_t>(&pool - context.program.pools.data()));
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

struct Gap {
  InstructionId place; // what ends it; for the gap at the end of the step, what it follows
  std::int64_t from = 0, to = 0;
};

// The longest time for which a rank computes nothing, the first of equals. No place if it never computes.
Gap longestGap(const Program &program, const model::Times &times, const model::Costs &costs, RankId rank) {
  const IndexRange range = program.ranks[static_cast<std::size_t>(rank.value())].instructions;
  Gap longest;
  InstructionId last;
  std::int64_t free = 0; // since when
  const auto consider = [&](InstructionId place, std::int64_t to) {
    if (!longest.place.valid() || to - free > longest.to - longest.from)
      longest = {place, free, to};
  };
  for (std::uint32_t k = range.first; k < range.first + range.count; ++k) {
    const InstructionId id(static_cast<std::int32_t>(k));
    const std::int64_t cost = costs[program.at(id).opcode];
    if (cost == 0 || model::isCommunication(program.at(id)))
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

void reportBubble(const Context &context, const model::Times &times, const Limits &limits, const Bubble &bubble) {
  const auto units = [&](std::uint64_t ticks) {
    return model::inUnits(static_cast<std::int64_t>(ticks), limits.costs);
  };
  const auto idlest = llvm::min_element(bubble.busy);
  const RankId rank(static_cast<std::int32_t>(idlest - bubble.busy.begin()));
  Finding finding;
  finding.rule = RuleId::bubble_over_limit;
  const Gap gap = longestGap(context.program, times, limits.costs, rank);
  if (gap.place.valid()) {
    finding = context.at(RuleId::bubble_over_limit, gap.place, "");
    finding.related.push_back({gap.place, "rank " + std::to_string(rank.value()) + " idles longest " +
                                              (gap.to == times.makespan() ? "after" : "before") + " this: from time " +
                                              model::inUnits(gap.from, limits.costs) + " to " +
                                              model::inUnits(gap.to, limits.costs)});
  } else if (!context.program.files.empty()) {
    finding.location.file = FileId(0);
  }
  finding.rank = rank;
  finding.message = "the bubble is " + percent(bubble.idle, bubble.total) + ", more than the " + limits.bubble->text +
                    " allowed: of " + units(bubble.total) + " units of time on all ranks, " + units(bubble.idle) +
                    " are idle; rank " + std::to_string(rank.value()) + " idles most, for " +
                    units(bubble.makespan - *idlest) + " of " + units(bubble.makespan) +
                    "; more microbatches make the share smaller";
  context.findings.add(std::move(finding));
}

// idle / total > parts / whole. The products need up to 106 bits.
bool exceeds(const Bubble &bubble, const Share &most) {
  const auto wide = [](std::uint64_t n) { return llvm::APInt(128, n); };
  return (wide(bubble.idle) * wide(most.whole)).ugt(wide(most.parts) * wide(bubble.total));
}

Bubble checkBubble(const Context &context, const Limits &limits) {
  if (!context.order.complete(context.graph)) {
    if (!context.findings.anyError)
      context.undecided.emplace_back("limit on the bubble: the program cannot finish");
    return {};
  }
  const model::Times times(context.program, context.graph, context.order, limits.costs);
  const std::optional<Bubble> bubble = bubbleOf(context.program, times, limits.costs);
  if (!bubble) {
    context.undecided.emplace_back("limit on the bubble: the times of all ranks together do not fit 64 bits");
    return {};
  }
  if (exceeds(*bubble, *limits.bubble))
    reportBubble(context, times, limits, *bubble);
  return *bubble;
}

} // namespace

void checkBudget(const Context &context, const Limits &limits, std::optional<Bubble> &bubble) {
  if (!limits.slots.empty())
    checkSlotLimits(context, limits.slots);
  if (limits.bubble)
    bubble = checkBubble(context, limits);
}

} // namespace plumbline::check
