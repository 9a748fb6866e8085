// The verifier against the host backend, which really executes: threads, queues, channels, and a ledger of the slots.
#pragma once

#include "verifier/check/verify.h"

#include <cstdint>
#include <string>

namespace plumbline::oracle {

// Empty if the backend gets stuck exactly when the verifier says so, and some timing of it trips the ledger exactly
// when the verifier reports a hazard; else what differs. The Program has the communicators of the model. Of models with
// `--streams any` the queues are taken as independent, as the verifier does for slots; a hang that only such streams
// have is not looked for.
std::string hostDifference(const Program &program, const model::Options &options, const check::Verification &v,
                           std::uint64_t seed);

// Whether the backend, with a thread for each rank, gets stuck.
bool hostGetsStuck(const Program &program, const model::Options &options);

} // namespace plumbline::oracle
