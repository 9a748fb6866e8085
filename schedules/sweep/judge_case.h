// One case of the sweep under one model: generated, lowered, verified.
#pragma once

#include "schedules/family/family.h"
#include "schedules/sweep/cases.h"
#include "verifier/smt/session.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace plumbline::schedules::sweep {

// "verified", or "slots: ..." if the least number of slots that the verifier finds for what a stage keeps is not the
// family's closed form of what is in flight, or the rules that have errors ("PL301, PL401"), or "undecided: ..." or
// "invalid: ..." with the reason.
std::string outcomeOf(const Family &family, const Case &made, llvm::StringRef model, smt::Session &session);

} // namespace plumbline::schedules::sweep
