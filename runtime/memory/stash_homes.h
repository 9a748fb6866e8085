// Where each stage keeps what its backward pass needs of a microbatch.
#pragma once

#include "runtime/memory/extents.h"

#include "llvm/ADT/DenseMap.h"

#include <cstdint>

namespace plumbline::runtime {

// The slot that holds a stash, and the value that stands in front of it there, if any.
struct StashHome {
  SlotAccess slot;
  bool alone = true; // the slot is for the stash only
};

// A Program may give the stash a slot of its own. DeepSpeed's does not name one: its engine keeps the activations with
// the loss on the last stage, and with the outputs elsewhere, as autograd hangs them there. A stash has no home if no
// slot of the forward pass is kept until its backward passes.
class StashHomes {
public:
  explicit StashHomes(const Program &program);
  // Null if there is none.
  [[nodiscard]] const StashHome *find(StageId stage, MicrobatchId microbatch) const;
  // The home is where `value` is written.
  [[nodiscard]] bool liesWith(const Value &value) const;

private:
  using Key = std::pair<std::int32_t, std::int32_t>;
  llvm::DenseMap<Key, StashHome> homes_;
};

} // namespace plumbline::runtime
