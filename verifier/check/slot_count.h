// How many slots does the order need at least?
#pragma once

#include "verifier/check/precedence.h"
#include "verifier/check/slot_history.h"

namespace plumbline::check {

// The least number of slots of one pool: "dead before born in every execution" orders the lives partially, and the
// least number is that of the largest set of lives of which none is dead before another is born (Dilworth, "A
// decomposition theorem for partially ordered sets", 1950). The set is the lower bound: some execution has all of it
// live at once. A cover by as many chains is the assignment; Z3 confirms each of its steps.
// O(n log n) where one lane decides, else a bipartite matching on n lives; above `most` lives the count of a pool
// whose lives end in several lanes is not determined (least = -1, and the verdict is undecided).
SlotCount countSlots(const Context &context, const PoolHistory &history, const RankPrecedence &precedence,
                     ChainClaims &claims);

} // namespace plumbline::check
