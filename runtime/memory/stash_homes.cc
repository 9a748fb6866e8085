#include "runtime/memory/stash_homes.h"

#include "llvm/ADT/STLExtras.h"

#include <optional>

namespace plumbline::runtime {
namespace {

struct Passes {
  const Instruction *forward = nullptr;
  llvm::SmallVector<const Instruction *, 2> backward;
};

bool touches(const Program &program, const Instruction &i, AccessMode mode, const Value &value,
             SlotAccess *found = nullptr) {
  for (const SlotAccess &access : program.accessesOf(i))
    if (access.mode == mode && access.value == value) {
      if (found)
        *found = access;
      return true;
    }
  return false;
}

// The slot where the forward pass writes a value of that kind, if all backward passes read it there.
std::optional<SlotAccess> keptSlot(const Program &program, const Passes &passes, ValueKind kind) {
  const Value value{kind, passes.forward->stage, passes.forward->microbatch};
  SlotAccess written;
  if (!touches(program, *passes.forward, AccessMode::write, value, &written))
    return std::nullopt;
  for (const Instruction *backward : passes.backward) {
    SlotAccess read;
    if (!touches(program, *backward, AccessMode::read, value, &read) || read.pool != written.pool ||
        read.slot != written.slot)
      return std::nullopt;
  }
  return passes.backward.empty() ? std::nullopt : std::optional(written);
}

} // namespace

StashHomes::StashHomes(const Program &program) {
  llvm::DenseMap<Key, Passes> passes;
  for (const Instruction &i : program.instructions) {
    const Key key{i.stage.value(), i.microbatch.value()};
    if (i.opcode == Opcode::forward)
      passes[key].forward = &i;
    else if (isBackward(i.opcode))
      passes[key].backward.push_back(&i);
    for (const SlotAccess &access : program.accessesOf(i))
      if (access.mode == AccessMode::write && access.value.kind == ValueKind::stash)
        homes_[{access.value.stage.value(), access.value.microbatch.value()}] = {access, true};
  }
  for (const auto &[key, pass] : passes) {
    if (!pass.forward || homes_.contains(key))
      continue;
    for (const ValueKind kind : {ValueKind::loss, ValueKind::output})
      if (const std::optional<SlotAccess> slot = keptSlot(program, pass, kind)) {
        homes_[key] = {*slot, false};
        break;
      }
  }
}

const StashHome *StashHomes::find(StageId stage, MicrobatchId microbatch) const {
  const auto found = homes_.find({stage.value(), microbatch.value()});
  return found == homes_.end() ? nullptr : &found->second;
}

bool StashHomes::liesWith(const Value &value) const {
  const StashHome *home = find(value.stage, value.microbatch);
  return home && home->slot.value == value;
}

} // namespace plumbline::runtime
