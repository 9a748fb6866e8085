// A piece of a source line with a caret under one column.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>

namespace plumbline::report {

// Prints
//     57 | [RecvActivation(buffer_id=0), SendGrad(buffer_id=0)]
//        |  ^
// Long lines are cut around the column to fit `width`; control characters and bytes that are not ASCII print as '?',
// so that a hostile file cannot drive the terminal. Prints nothing if the line does not exist.
// O(size of text) to find the line.
void printExcerpt(llvm::StringRef text, std::uint32_t line, std::uint32_t column, unsigned width,
                  llvm::raw_ostream &out);

// For names and messages that quote input: characters that one does not see where they stand (controls, marks of
// direction, what has no width, blanks other than the usual one), and bytes that are no UTF-8, become '?'.
std::string printable(llvm::StringRef text);

} // namespace plumbline::report
