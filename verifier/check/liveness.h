// PL401 to PL404: does every read find its value, and is no value overwritten while a read of it is pending?
#pragma once

#include "verifier/check/precedence.h"
#include "verifier/check/slot_history.h"

namespace plumbline::check {

// Judges one pool over all executions of the model. What holds is added to `claims`, for Z3 to confirm; each fault
// becomes a finding whose execution Z3 has confirmed. Linear in accesses, plus one pass over the graph for a fault
// that only some executions show.
void checkLiveness(const Context &context, const PoolHistory &history, const RankPrecedence &precedence,
                   ChainClaims &claims);

} // namespace plumbline::check
