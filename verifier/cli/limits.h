// The values of --max-buffers and --max-bubble, read from their words.
#pragma once

#include "verifier/check/budget.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace plumbline::cli {

// A fraction from 0 to 1 as "0.125" or "12.5%", exactly, with at most 18 digits after the point. Nothing if it is none.
std::optional<check::Share> readShare(llvm::StringRef text);

// "N" or "POOL=N": one limit more. Returns an empty string, or what is wrong.
std::string addBufferLimit(llvm::StringRef text, check::Limits &limits);

// A fraction from 0 to 1, or a percentage such as "12.5%", taken exactly. Returns an empty string, or what is wrong.
std::string setBubbleLimit(llvm::StringRef text, check::Limits &limits);

} // namespace plumbline::cli
