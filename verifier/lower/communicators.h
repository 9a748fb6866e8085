// Which communicators the messages of a Program use.
#pragma once

#include "verifier/ir/program.h"

#include <cstdint>

namespace plumbline::lower {

enum class Communicators : std::uint8_t {
  single,   // "pipeline", of all ranks
  pair,     // "pair 0-1", of two ranks, for both directions
  directed, // "0 to 1", of two ranks, for one direction
};

// Gives every send and receive the communicator that the mode says. Those of other instructions stay, and come first;
// those that nothing uses any more are dropped. A new communicator takes the room of the one that its first message
// had. Doing it twice is doing it once. Linear.
void setCommunicators(Program &program, Communicators mode);

} // namespace plumbline::lower
