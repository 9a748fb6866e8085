// What can only be judged once the whole `.pir` text is read.
#pragma once

#include "verifier/ir/pir_reading.h"

namespace plumbline::pir {

// Fills in what the header left out, and checks the numbers that the text refers to. The text ends before `endColumn`.
bool finish(Reading &reading, std::uint32_t endColumn);

} // namespace plumbline::pir
