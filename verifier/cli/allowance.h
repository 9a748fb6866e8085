// The values of --allow-buffers and --allow-bubble, read from their words.
#pragma once

#include "verifier/compare/allowance.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace plumbline::cli {

// "N", a number from 0 to 1,000,000,000. Returns an empty string, or what is wrong.
std::string setAllowedBuffers(llvm::StringRef text, compare::Allowance &allowance);

// Percentage points from 0 to 100, as "1.5%" or "1.5", taken exactly. Returns an empty string, or what is wrong.
std::string setAllowedBubble(llvm::StringRef text, compare::Allowance &allowance);

} // namespace plumbline::cli
