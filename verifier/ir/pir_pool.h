// The `pool` lines of `.pir` text.
#pragma once

#include "verifier/ir/pir_reading.h"

namespace plumbline::pir {

// What follows `pool` in the header, where the line names the rank.
bool parseHeaderPool(Reading &reading);

// What follows `pool` in the open rank's block.
bool parseRankPool(Reading &reading);

// The header's pools of the open rank can be referred to from here on.
void openHeaderPools(Reading &reading);

} // namespace plumbline::pir
