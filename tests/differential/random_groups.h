// Fuses neighbouring lines of a random Program into launches and overlaps.
#pragma once

#include "tests/differential/draft.h"
#include "tests/differential/random.h"

namespace plumbline::oracle {

// Exchanges `count` random neighbours.
void exchangeNeighbours(Draft &draft, Random &random, int count);

// Makes groups of sends and receives, and now and then one of computing, or of both, where that is allowed. Members of
// a group never wait for one another.
void groupLines(Draft &draft, Random &random, bool mixed);

} // namespace plumbline::oracle
