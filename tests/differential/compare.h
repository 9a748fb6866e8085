// Holds the verifier against the executor: one Program, one model, every question that both can answer.
#pragma once

#include "verifier/ir/program.h"
#include "verifier/model/options.h"
#include "verifier/smt/session.h"

#include <string>

namespace plumbline::oracle {

// The first difference between what check::verify finds and what simulation shows: hang, hazard, leak, least slots of
// a pool, and for --streams any whether some order hangs. Empty if they agree. A question that the verifier leaves
// undecided is a difference; one that is too large for the executor's search is not asked.
std::string difference(const Program &program, const model::Options &options, smt::Session &session);

// "nccl comms=pair room=1 ..." for messages.
std::string describe(const model::Options &options);

} // namespace plumbline::oracle
