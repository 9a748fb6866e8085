// Gives the accesses of a Program other slots.
#pragma once

#include "verifier/ir/program.h"

namespace plumbline::lower {

// The slot of each access, by index into Program::accesses, in its own pool; -1: as it is. Pools that declared a number
// now declare what they use, and are no longer sized together with others. Linear.
void reassignSlots(Program &program, llvm::ArrayRef<std::int32_t> slots);

} // namespace plumbline::lower
