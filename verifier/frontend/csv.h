// Comma-separated cells with exact places.
#pragma once

#include "verifier/frontend/source.h"
#include "verifier/ir/diagnostic.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <optional>

namespace plumbline::frontend {

// A cell that is not empty, without quotes and blanks around it.
struct Cell {
  llvm::StringRef text;
  std::uint32_t row = 0;    // from 0
  std::uint32_t line = 0;   // from 1
  std::uint32_t column = 0; // of the first character of `text`
};

// Calls `visit` for each cell that is not empty, row by row, until it returns a Diagnostic. Every line is a row.
// Returns the number of rows without those blank lines that end the file, or the first fault: of the text, of the
// quoting or of a cell. A quoted cell stays within its line. Linear.
Result<std::uint32_t> forEachCell(const Source &file,
                                  llvm::function_ref<std::optional<Diagnostic>(const Cell &)> visit);

} // namespace plumbline::frontend
