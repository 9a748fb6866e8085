// The communication model: under which assumptions a Program is judged (DESIGN section 4; docs/semantics.md tells users
// what each means and where the facts come from).
#pragma once

#include <cstdint>

namespace plumbline::model {

enum class Kind : std::uint8_t {
  blocking, // one lane a rank; every instruction blocks (DeepSpeed's engine, MPI with synchronous sends)
  nccl,     // a compute lane and one lane per communicator and rank
  mpi,      // as nccl; a message of at most roomBytes bytes is eager: its send ends by itself
};

// Which communicators point-to-point traffic uses.
enum class Comms : std::uint8_t {
  given,    // as the Program says
  single,   // one for all
  pair,     // one for each unordered pair of ranks
  directed, // one for each ordered pair of ranks
};

enum class Grouping : std::uint8_t {
  given,  // members of a group progress independently, as NCCL documents
  none,   // fused launches are taken apart: each member is a launch of its own. Compute overlaps remain.
  atomic, // nothing of a group moves before every launch that it is connected to by messages has begun
};

enum class Wait : std::uint8_t {
  use,   // computing waits for the receive that feeds it; sends are waited for at the end of the step
  group, // the host waits for each launch to end before it issues anything more
};

enum class Connect : std::uint8_t {
  ready,    // connections exist
  firstUse, // the first message of two ranks on a communicator also connects them, on the blocking hosts
};

enum class Streams : std::uint8_t {
  independent, // lanes of a rank progress on their own
  any,         // a begun instruction keeps its rank's device until it ends; what begins next is the adversary's choice
};

// More messages than any program has: no send waits for room.
inline constexpr std::int32_t endlessRoom = 1'000'000'000;

struct Options {
  Kind kind = Kind::nccl;
  Comms comms = Comms::given;
  Grouping grouping = Grouping::given;
  Wait wait = Wait::use;
  Connect connect = Connect::ready;
  Streams streams = Streams::independent;
  std::int32_t room = 0;       // messages that a channel holds
  std::int64_t roomBytes = -1; // bytes that a channel holds (nccl) or eager limit (mpi); -1: not used
  std::int32_t plan = 0;       // most members of one launch; 0: no limit
};

} // namespace plumbline::model
