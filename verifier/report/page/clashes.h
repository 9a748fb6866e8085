// Which values in slots a finding speaks of. Times do not tell: a slot may change hands in no time and yet too early.
#pragma once

#include "verifier/check/timeline.h"

#include <cstdint>
#include <vector>

namespace plumbline::report {

// Indices into timeline.lives, ascending, each once: the lives in the finding's slot that its instructions write. None
// for findings of other rules than PL401, PL402 and PL403. The timeline must be that of the program that was judged.
// O(log n) in lives for each access of these instructions.
std::vector<std::uint32_t> clashingLives(const Program &program, const check::Timeline &timeline,
                                         const check::Finding &finding);

} // namespace plumbline::report
