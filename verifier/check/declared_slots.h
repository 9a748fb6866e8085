// PL501 to PL503: the number of slots that the input declares, beside the number that the order needs.
#pragma once

#include "verifier/check/context.h"

namespace plumbline::check {

// Compares what is declared with the counts in `context.slots` (slot_count.h): PL501 and PL502, and PL503 for slots
// outside the declared number. A count that is not known (-1) is passed over.
void checkDeclaredSlots(const Context &context);

} // namespace plumbline::check
