// Whether a Program can hang when the device may run its streams one after the other in any order (--streams any).
#pragma once

#include "tests/differential/execution.h"

#include <optional>

namespace plumbline::oracle {

// Explores every choice of what a free device begins next; a unit that has begun keeps its rank's device until it
// ends. True if some order hangs. Nothing if more than `maxStates` states would have to be looked at.
std::optional<bool> streamsAnyHangs(const Program &program, const model::Options &options,
                                    std::size_t maxStates = 200000);

// The same without leaving out choices that cannot matter: much slower, a check on the one above.
std::optional<bool> streamsAnyHangsExhaustive(const Program &program, const model::Options &options,
                                              std::size_t maxStates = 200000);

} // namespace plumbline::oracle
