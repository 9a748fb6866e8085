// A comparison in one sentence.
#pragma once

#include "verifier/compare/comparison.h"

#include <string>

namespace plumbline::compare {

// From outcome, alone and changes. `verdict` is that of the new version. Trusted words and numbers only.
std::string sentenceOf(const Comparison &comparison, llvm::StringRef verdict);

} // namespace plumbline::compare
