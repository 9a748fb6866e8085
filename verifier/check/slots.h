// PL4xx and PL5xx for all pools: builds the slot histories, judges each, and puts the claims before Z3.
#pragma once

#include "verifier/check/context.h"

namespace plumbline::check {

// Slot counts are made only for programs that can finish.
void checkSlots(const Context &context);

} // namespace plumbline::check
