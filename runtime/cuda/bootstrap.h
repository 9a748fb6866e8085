// How several processes come to know what rank 0 has made up: over TCP, once, before anything else connects them.
#pragma once

#include "runtime/cuda/launch.h"

#include <chrono>
#include <cstdint>
#include <vector>

namespace plumbline::runtime::cuda {

// Gives every process the payload of rank 0. Rank 0 waits at launch.port of all its addresses until each of the others
// has come once; they try to reach it until they do. Whoever connects says a version, its rank and `greeting`, which
// has to be the same for all: of the Program and what else all have to agree on. Not for networks that one does not
// trust: whoever connects first as a rank is taken for it. Errors: time is up (and who is missing), greetings differ, a
// rank comes twice, no such address.
Result<std::vector<char>> shareFromFirst(const Launch &launch, std::uint64_t greeting, std::vector<char> payload,
                                         std::chrono::milliseconds patience);

} // namespace plumbline::runtime::cuda
