// What is asked of a version, and under which assumptions: whether the new one has it easier.
#pragma once

#include "verifier/compare/change.h"
#include "verifier/compare/rooms.h"

#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace plumbline::compare {

// Worse is a mode that asks for less. Another model, and rooms under which less hangs, leave open whether the new
// version would pass as the base did. Nothing where modes and rooms are as hard or harder. Both reports are valid;
// `rooms` are those that differ.
std::vector<Change> judgeConditions(const report::Report &base, const report::Report &next,
                                    llvm::ArrayRef<RoomFigures> rooms);

} // namespace plumbline::compare
