// The lines of `.pir` text before the first rank.
#pragma once

#include "verifier/ir/pir_reading.h"

namespace plumbline::pir {

// The first line: which version of the text form this is.
bool parseVersion(Reading &reading);

// What follows `key`, the line's first word, which stands at `column`; not the line's end.
bool parseHeaderField(Reading &reading, llvm::StringRef key, std::uint32_t column);

} // namespace plumbline::pir
