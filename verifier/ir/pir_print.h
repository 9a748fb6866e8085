// Writes a Program as `.pir` text. The grammar stands in pir_parse.h.
#pragma once

#include "verifier/ir/program.h"

#include "llvm/Support/raw_ostream.h"

#include <string>

namespace plumbline {

// Writes the whole Program, which must satisfy validate(). Parsing the text gives a Program identical to it. The order
// is that of the Program; an instruction inserted into it leaves the other lines as they are. Linear.
void printPir(const Program &program, llvm::raw_ostream &out);
std::string toPir(const Program &program);

} // namespace plumbline
