#include "verifier/check/declared_slots.h"

#include "verifier/ir/words.h"

#include "llvm/ADT/STLExtras.h"

namespace plumbline::check {
namespace {

std::string poolOf(const Context &context, const SlotCount &count) {
  const Pool &pool = context.program.pools[static_cast<std::size_t>(count.pool.value())];
  return "pool '" + pool.name + "' of rank " + std::to_string(pool.rank.value());
}

void reportTooFew(const Context &context, const SlotCount &count) {
  const Pool &pool = context.program.pools[static_cast<std::size_t>(count.pool.value())];
  Finding finding;
  finding.rule = RuleId::too_few_slots;
  finding.message = poolOf(context, count) + " declares " + counted(static_cast<std::size_t>(count.declared), "slot") +
                    ", but this order needs " + std::to_string(count.least) +
                    ": with fewer, a value is overwritten that is still to be read";
  finding.rank = count.rank;
  finding.pool = count.pool;
  finding.location = pool.location;
  if (!count.witness.empty())
    finding.stage = context.program.at(count.witness.front()).stage;
  for (const InstructionId birth : count.witness)
    finding.related.push_back(
        {birth, "live together with the others: written by " + fullNameOf(context.program, birth)});
  context.findings.add(std::move(finding));
}

// One declaration may size several pools; it is too large only if none of them needs all of it.
void reportTooMany(const Context &context, llvm::ArrayRef<const SlotCount *> together) {
  const SlotCount *largest =
      *llvm::max_element(together, [](const SlotCount *a, const SlotCount *b) { return a->least < b->least; });
  if (largest->declared <= largest->least || llvm::any_of(together, [](const SlotCount *c) { return c->least < 0; }))
    return;
  const auto spare = static_cast<std::size_t>(largest->declared - largest->least);
  Finding finding;
  finding.rule = RuleId::too_many_slots;
  finding.severity = Severity::warning;
  finding.message = poolOf(context, *largest) + " declares " +
                    counted(static_cast<std::size_t>(largest->declared), "slot") + ", but this order needs only " +
                    std::to_string(largest->least) + ": no execution holds more values at once, so the memory of " +
                    counted(spare, "slot") + " is wasted";
  finding.rank = largest->rank;
  finding.pool = largest->pool;
  finding.location = context.program.pools[static_cast<std::size_t>(largest->pool.value())].location;
  if (!largest->witness.empty())
    finding.stage = context.program.at(largest->witness.front()).stage;
  context.findings.add(std::move(finding));
}

std::string declaredSlots(std::int32_t declared) {
  if (declared == 0)
    return "no slot is declared";
  if (declared == 1)
    return "only slot 0 is declared";
  return "only slots 0 to " + std::to_string(declared - 1) + " are declared";
}

void checkSlotRange(const Context &context) {
  for (const auto &[k, i] : llvm::enumerate(context.program.instructions))
    for (const SlotAccess &access : context.program.accessesOf(i)) {
      const Pool &pool = context.program.pools[static_cast<std::size_t>(access.pool.value())];
      if (pool.declared < 0 || access.slot < pool.declared)
        continue;
      const InstructionId id(static_cast<std::int32_t>(k));
      Finding finding = context.at(RuleId::slot_out_of_range, id,
                                   nameOf(context.program, id) + " uses " + slotName(context.program, access) +
                                       ", but " + declaredSlots(pool.declared));
      finding.pool = access.pool;
      context.findings.add(std::move(finding));
      break;
    }
}

} // namespace

void checkDeclaredSlots(const Context &context) {
  checkSlotRange(context);
  for (std::size_t k = 0; k < context.slots.size(); ++k) {
    const SlotCount &count = context.slots[k];
    const Pool &pool = context.program.pools[static_cast<std::size_t>(count.pool.value())];
    if (count.declared < 0 || count.least < 0)
      continue;
    if (count.least > count.declared)
      reportTooFew(context, count);
    // Pools of one declaration are judged together, at the first of them.
    llvm::SmallVector<const SlotCount *, 4> together = {&count};
    bool first = true;
    for (std::size_t j = 0; j < context.slots.size() && pool.declaration >= 0; ++j) {
      const SlotCount &other = context.slots[j];
      const Pool &otherPool = context.program.pools[static_cast<std::size_t>(other.pool.value())];
      if (j == k || other.rank != count.rank || otherPool.declaration != pool.declaration)
        continue;
      first &= j > k;
      together.push_back(&other);
    }
    if (first)
      reportTooMany(context, together);
  }
}

} // namespace plumbline::check
