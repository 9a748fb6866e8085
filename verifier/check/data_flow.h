// PL104 and PL107: does each rank issue producers before consumers, and the optimizer step last?
#pragma once

#include "verifier/check/catalogue.h"
#include "verifier/check/context.h"

namespace plumbline::check {

// Linear in stages x microbatches plus instructions.
void checkDataFlowOrder(const Context &context, const Catalogue &catalogue);
void checkOptimizerOrder(const Context &context);

} // namespace plumbline::check
