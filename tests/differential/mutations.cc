#include "tests/differential/mutations.h"

#include "tests/differential/draft.h"

#include <algorithm>

namespace plumbline::oracle {
namespace {

constexpr int choicesPerChange = 2;

// Slots of a pool: as many as it declares or the Program uses.
std::vector<std::int32_t> poolSizes(const Program &program) {
  std::vector<std::int32_t> sizes;
  for (const Pool &pool : program.pools)
    sizes.push_back(std::max(pool.declared, 0));
  for (const SlotAccess &a : program.accesses)
    sizes[a.pool.value()] = std::max(sizes[a.pool.value()], a.slot + 1);
  return sizes;
}

bool writes(llvm::ArrayRef<SlotAccess> accesses, PoolId pool, std::int32_t slot) {
  return std::any_of(accesses.begin(), accesses.end(), [&](const SlotAccess &a) {
    return a.pool == pool && a.slot == slot && a.mode == AccessMode::write;
  });
}

void addChangesOfSlot(const Program &program, InstructionId id, const std::vector<std::int32_t> &sizes,
                      std::vector<Mutation> &all) {
  const llvm::ArrayRef<SlotAccess> accesses = program.accessesOf(program.at(id));
  for (std::size_t k = 0; k < accesses.size(); ++k) {
    const auto [pool, slot, mode, value] = accesses[k];
    const bool seen = std::any_of(accesses.begin(), accesses.begin() + k, [&](const SlotAccess &a) {
      return a.pool == accesses[k].pool && a.slot == accesses[k].slot;
    });
    const int size = sizes[pool.value()];
    for (int step = 1, found = 0; !seen && step < size && found < choicesPerChange; ++step) {
      const std::int32_t to = (slot + step) % size;
      if (writes(accesses, pool, slot) && writes(accesses, pool, to))
        continue;
      all.push_back({MutationKind::changeSlot, id, RankId(), pool, slot, to, MicrobatchId()});
      ++found;
    }
  }
}

void exchangeUnits(std::vector<Line> &lines, std::size_t at) {
  const auto sameGroup = [](const Line &a, const Line &b) {
    return a.instruction.group.valid() && a.instruction.group == b.instruction.group;
  };
  if (sameGroup(lines[at], lines[at + 1])) {
    std::swap(lines[at], lines[at + 1]);
    return;
  }
  std::size_t begin = at;
  while (begin > 0 && sameGroup(lines[begin - 1], lines[at]))
    --begin;
  std::size_t end = at + 2;
  while (end < lines.size() && sameGroup(lines[end], lines[at + 1]))
    ++end;
  std::rotate(lines.begin() + static_cast<std::ptrdiff_t>(begin), lines.begin() + static_cast<std::ptrdiff_t>(at + 1),
              lines.begin() + static_cast<std::ptrdiff_t>(end));
}

} // namespace

std::vector<Mutation> allMutations(const Program &program) {
  std::vector<Mutation> all;
  const std::vector<std::int32_t> sizes = poolSizes(program);
  const auto plain = [&](MutationKind kind, InstructionId id) {
    all.push_back({kind, id, RankId(), PoolId(), 0, 0, MicrobatchId()});
  };
  for (std::size_t n = 0; n < program.instructions.size(); ++n) {
    const Instruction &i = program.instructions[n];
    const InstructionId id(static_cast<std::int32_t>(n));
    plain(MutationKind::drop, id);
    plain(MutationKind::duplicate, id);
    if (n + 1 < program.instructions.size() && program.instructions[n + 1].rank == i.rank)
      plain(MutationKind::swap, id);
    if (isPointToPoint(i.opcode))
      for (int step = 1, found = 0; step < program.rankCount() && found < choicesPerChange; ++step) {
        const RankId to((i.peer.value() + step) % program.rankCount());
        if (to == i.rank)
          continue;
        all.push_back({MutationKind::changePeer, id, to, PoolId(), 0, 0, MicrobatchId()});
        ++found;
      }
    addChangesOfSlot(program, id, sizes, all);
    for (const int step : {1, -1})
      if (const int to = i.microbatch.value() + step; i.microbatch.valid() && to >= 0 && to < program.microbatches)
        all.push_back({MutationKind::changeMicrobatch, id, RankId(), PoolId(), 0, 0, MicrobatchId(to)});
  }
  return all;
}

Mutation randomMutation(const Program &program, Random &random) {
  const std::vector<Mutation> all = allMutations(program);
  return all.empty() ? Mutation() : random.pick(all);
}

Program apply(const Program &program, const Mutation &mutation) {
  if (!mutation.instruction.valid())
    return program;
  Draft draft = draftOf(program);
  const Instruction &i = program.at(mutation.instruction);
  std::vector<Line> &lines = draft.ranks[i.rank.value()];
  const std::size_t at = mutation.instruction.value() - program.ranks[i.rank.value()].instructions.first;
  Line &line = lines[at];
  switch (mutation.kind) {
  case MutationKind::drop:
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
    break;
  case MutationKind::duplicate: {
    Line copy = line;
    copy.key = draft.nextKey++;
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at + 1), copy);
    break;
  }
  case MutationKind::swap:
    exchangeUnits(lines, at);
    break;
  case MutationKind::changePeer:
    line.instruction.peer = mutation.peer;
    break;
  case MutationKind::changeSlot:
    for (SlotAccess &a : line.accesses)
      if (a.pool == mutation.pool && a.slot == mutation.slot)
        a.slot = mutation.toSlot;
    break;
  case MutationKind::changeMicrobatch:
    for (SlotAccess &a : line.accesses)
      if (a.value.microbatch == i.microbatch)
        a.value.microbatch = mutation.microbatch;
    line.instruction.microbatch = mutation.microbatch;
    break;
  }
  return programOf(draft);
}

std::string describe(const Program &program, const Mutation &mutation) {
  if (!mutation.instruction.valid())
    return "nothing";
  std::string what = describe(program, mutation.instruction);
  switch (mutation.kind) {
  case MutationKind::drop:
    return "drop " + what;
  case MutationKind::duplicate:
    return "duplicate " + what;
  case MutationKind::swap:
    return "swap " + what + " with " + describe(program, InstructionId(mutation.instruction.value() + 1));
  case MutationKind::changePeer:
    return "change peer to " + std::to_string(mutation.peer.value()) + ": " + what;
  case MutationKind::changeSlot:
    return "change slot " + std::to_string(mutation.slot) + " of pool " + std::to_string(mutation.pool.value()) +
           " to " + std::to_string(mutation.toSlot) + ": " + what;
  case MutationKind::changeMicrobatch:
    return "change microbatch to " + std::to_string(mutation.microbatch.value()) + ": " + what;
  }
  return what;
}

} // namespace plumbline::oracle
