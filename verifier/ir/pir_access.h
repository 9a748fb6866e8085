// What an instruction of `.pir` text reads and writes.
#pragma once

#include "verifier/ir/pir_reading.h"

#include "llvm/ADT/SmallVector.h"

namespace plumbline::pir {

// ACCESS, ... behind `read` or `write` of the given instruction, whose own stage and microbatch a value has unless it
// says others.
bool parseAccesses(Reading &reading, const Instruction &instruction, AccessMode mode,
                   llvm::SmallVectorImpl<SlotAccess> &accesses);

} // namespace plumbline::pir
