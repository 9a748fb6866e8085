// For tests of what finds each other by a port.
#pragma once

#include <cstdint>

namespace plumbline::runtime::cuda {

// A TCP port of this machine that was free a moment ago; 0 if there is none.
std::uint16_t freePort();

} // namespace plumbline::runtime::cuda
