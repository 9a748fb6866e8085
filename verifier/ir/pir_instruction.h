// The instruction lines of `.pir` text.
#pragma once

#include "verifier/ir/pir_reading.h"

namespace plumbline::pir {

// A whole line; the instruction goes to the open rank.
bool parseInstruction(Reading &reading);

} // namespace plumbline::pir
