// One cell of a PyTorch schedule.
#pragma once

#include "verifier/ir/schedule.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstddef>
#include <optional>
#include <string>

namespace plumbline::frontend::pytorch {

// More than any overlapped call holds; keeps work that looks at a whole call cheap.
inline constexpr std::size_t maxOverlapMembers = 64;

struct CellFault {
  std::size_t offset = 0; // in the cell
  std::string message;
};

// Appends the action of a cell that is not empty to `actions`; of an overlapped call its members, in order. The
// location's column is the offset in the cell; line and file are left out. Linear.
std::optional<CellFault> parseCell(llvm::StringRef cell, llvm::SmallVectorImpl<Action> &actions);

// The same for one plain action of the cell, from `offset` up to its end or one of the characters in `stops`.
// Moves `offset` behind it.
std::optional<CellFault> parseAction(llvm::StringRef cell, llvm::StringRef stops, std::size_t &offset, Action &action);

} // namespace plumbline::frontend::pytorch
