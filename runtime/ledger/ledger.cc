#include "runtime/ledger/ledger.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <utility>

namespace plumbline::runtime {

Ledger::Ledger(const Program &program, Report report)
    : program_(program), report_(report), numbers_(program), slots_(numbers_.count()), mutexes_(program.ranks.size()),
      live_(program.pools.size(), 0), peaks_(program.pools.size(), 0) {
  using Key = std::pair<std::pair<std::uint32_t, std::int32_t>, std::pair<std::int32_t, std::int32_t>>;
  llvm::DenseMap<Key, std::uint32_t> numberOf;
  for (const SlotAccess &access : program.accesses) {
    const Value &value = access.value;
    const Key key{{numbers_.of(access), static_cast<std::int32_t>(value.kind)},
                  {value.stage.value(), value.microbatch.value()}};
    const auto [entry, isNew] = numberOf.try_emplace(key, static_cast<std::uint32_t>(reads_.size()));
    if (isNew)
      reads_.emplace_back();
    keys_.push_back(entry->second);
    reads_[entry->second].all += access.mode == AccessMode::read ? 1 : 0;
  }
  bindReads();
}

void Ledger::bindReads() {
  constexpr std::uint32_t unwritten = UINT32_MAX;
  std::vector<std::uint32_t> latest(reads_.size(), unwritten); // by key
  instances_.assign(keys_.size(), unwritten);
  const auto bind = [&](std::size_t access, bool write) {
    std::uint32_t &instance = latest[keys_[access]];
    if (write || instance == unwritten) {
      instance = static_cast<std::uint32_t>(instanceReads_.size());
      instanceReads_.emplace_back();
    }
    instances_[access] = instance;
    instanceReads_[instance].all += write ? 0 : 1;
  };
  for (const Instruction &i : program_.instructions)
    for (const AccessMode mode : {AccessMode::read, AccessMode::write})
      for (std::size_t a = i.accesses.first; a < i.accesses.first + i.accesses.count; ++a)
        if (program_.accesses[a].mode == mode)
          bind(a, mode == AccessMode::write);
}

void Ledger::reset() {
  for (Slot &slot : slots_)
    slot = Slot();
  for (std::vector<Reads> *all : {&reads_, &instanceReads_})
    for (Reads &reads : *all)
      reads.begun = 0;
  live_.assign(live_.size(), 0);
}

void Ledger::enliven(Slot &slot, PoolId pool) {
  const auto p = static_cast<std::size_t>(pool.value());
  if (!std::exchange(slot.live, true))
    peaks_[p] = std::max(peaks_[p], ++live_[p]);
}

std::optional<Violation> Ledger::begin(InstructionId instruction) {
  const Instruction &i = program_.at(instruction);
  const std::scoped_lock lock(mutexes_[static_cast<std::size_t>(i.rank.value())]);
  std::optional<Violation> first;
  const auto keep = [&](const std::optional<Violation> &violation) {
    if (violation && !first)
      first = violation;
  };
  // What an instruction reads it finds before it writes: that is what working in place means.
  for (std::size_t a = i.accesses.first; a < i.accesses.first + i.accesses.count; ++a)
    if (program_.accesses[a].mode == AccessMode::read)
      keep(beginRead(instruction, a));
  for (std::size_t a = i.accesses.first; a < i.accesses.first + i.accesses.count; ++a)
    if (program_.accesses[a].mode == AccessMode::write)
      keep(beginWrite(instruction, a));
  return first;
}

std::optional<Violation> Ledger::beginRead(InstructionId instruction, std::size_t index) {
  const SlotAccess &access = program_.accesses[index];
  Slot &slot = slots_[numbers_.of(access)];
  ++reads_[keys_[index]].begun;
  ++instanceReads_[instances_[index]].begun;
  if (!llvm::is_contained(slot.readers, instruction))
    slot.readers.push_back(instruction);
  Violation violation{ViolationKind::missing, instruction, slot.writer, access.pool, access.slot,
                      access.value,           slot.value};
  if (!slot.written || !(slot.value == access.value))
    return violation;
  slot.read = true;
  // With the last reader it is certain that nothing was to read the first of two equal values; before that, one behind
  // a hang might have been.
  if (slot.lost.valid() && reads_[slot.key].begun == reads_[slot.key].all)
    return Violation{ViolationKind::unread, slot.writer, slot.lost, access.pool, access.slot, slot.value, slot.value};
  violation.kind = ViolationKind::incomplete;
  return slot.writing ? std::optional(violation) : std::nullopt;
}

// Of the reads of what the slot holds, in issue order, the first that has not begun.
InstructionId Ledger::readerToCome(const Slot &slot) const {
  const Reads &reads = instanceReads_[slot.instance];
  if (reads.begun >= reads.all)
    return {};
  const IndexRange range = program_.ranks[static_cast<std::size_t>(program_.at(slot.writer).rank.value())].instructions;
  std::uint32_t passed = 0;
  for (std::uint32_t i = range.first; i < range.first + range.count; ++i) {
    const IndexRange accesses = program_.instructions[i].accesses;
    for (std::size_t a = accesses.first; a < accesses.first + accesses.count; ++a)
      if (program_.accesses[a].mode == AccessMode::read && instances_[a] == slot.instance && passed++ == reads.begun)
        return InstructionId(static_cast<std::int32_t>(i));
  }
  return {};
}

std::optional<Violation> Ledger::beginWrite(InstructionId instruction, std::size_t index) {
  const SlotAccess &access = program_.accesses[index];
  Slot &slot = slots_[numbers_.of(access)];
  const bool again = slot.writer == instruction;
  std::optional<Violation> violation;
  const auto collide = [&](ViolationKind kind, InstructionId other) {
    violation = Violation{kind, instruction, other, access.pool, access.slot, slot.value, access.value};
  };
  InstructionId lost;
  if (const auto *other = llvm::find_if(slot.readers, [&](InstructionId r) { return r != instruction; });
      other != slot.readers.end())
    collide(ViolationKind::overwritten, *other);
  else if (slot.writing && !again)
    collide(ViolationKind::overwritten, slot.writer);
  else if (slot.written && !again && !slot.read) {
    if (reads_[slot.key].begun == reads_[slot.key].all)
      collide(ViolationKind::unread, slot.writer);
    else if (slot.key == keys_[index])
      lost = slot.writer;
  }
  // Who still wants the value will miss it, unless what comes now is called the same.
  if (!violation && report_ == Report::atWrite && slot.written && !again && slot.key != keys_[index])
    if (const InstructionId reader = readerToCome(slot); reader.valid() && reader != instruction)
      collide(ViolationKind::needed, reader);
  slot = Slot{true,        true, false,       slot.live, access.value, keys_[index], instances_[index],
              instruction, lost, slot.readers};
  enliven(slot, access.pool);
  return violation;
}

void Ledger::complete(InstructionId instruction, llvm::SmallVectorImpl<std::uint32_t> &dead) {
  const Instruction &i = program_.at(instruction);
  const std::scoped_lock lock(mutexes_[static_cast<std::size_t>(i.rank.value())]);
  for (const SlotAccess &access : program_.accessesOf(i)) {
    Slot &slot = slots_[numbers_.of(access)];
    llvm::erase(slot.readers, instruction);
    if (slot.writer == instruction)
      slot.writing = false;
    const Reads &reads = instanceReads_[slot.instance];
    if (!slot.live || slot.writing || !slot.readers.empty() || reads.begun < reads.all)
      continue;
    slot.live = false;
    --live_[static_cast<std::size_t>(access.pool.value())];
    dead.push_back(numbers_.of(access));
  }
}

} // namespace plumbline::runtime
