// PL101, 102, 103, 105, 106, 108, 109: is everything there that a training (or inference) step needs, and only once?
#pragma once

#include "verifier/check/catalogue.h"
#include "verifier/check/context.h"

namespace plumbline::check {

// Linear in stages x microbatches plus instructions.
void checkCompleteness(const Context &context, const Catalogue &catalogue);

} // namespace plumbline::check
