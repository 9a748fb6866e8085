// The values of --cost: how long instructions take.
#pragma once

#include "verifier/model/times.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace plumbline::cli {

// "WHAT=N", or several joined by commas. WHAT is an opcode as `.pir` writes it, or F, B, I, W, R (recompute), or
// `message` for all sends and receives; a receive takes as long as its send, so it has no cost of its own. N is a
// number from 0 to 100000 with at most three digits after the point. What is not named keeps its unit cost. Returns an
// empty string, or what is wrong.
std::string addCosts(llvm::StringRef text, std::optional<model::Costs> &costs);

} // namespace plumbline::cli
