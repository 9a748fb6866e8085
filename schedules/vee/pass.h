// What a microbatch does on each rank of a V of two chunks a rank: chunk 0 down the ranks, chunk 1 up again, and its
// backward pass the same way back.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plumbline::schedules::vee {

// The first four in the order in which a microbatch comes by.
enum class Pass : std::uint8_t {
  firstForward,   // of chunk 0, from rank 0 down
  secondForward,  // of chunk 1, from the last rank up
  secondBackward, // of chunk 1, from rank 0 down; where halves are split, the input half
  firstBackward,  // of chunk 0, from the last rank up
  weight,         // a weight half
  none,
};

inline constexpr std::size_t passesThrough = 4; // those that a microbatch takes through all ranks

inline bool isForward(Pass pass) { return pass == Pass::firstForward || pass == Pass::secondForward; }
inline bool isBackward(Pass pass) { return pass == Pass::secondBackward || pass == Pass::firstBackward; }

inline std::int32_t chunkOf(Pass pass) { return pass == Pass::secondForward || pass == Pass::secondBackward ? 1 : 0; }

inline constexpr std::int32_t noRank = -1;

// The rank from which the microbatch comes for this pass; none where it enters the pipeline or turns round.
inline std::int32_t senderOf(Pass pass, std::int32_t rank, std::int32_t ranks) {
  const bool down = pass == Pass::firstForward || pass == Pass::secondBackward;
  if (down)
    return rank > 0 ? rank - 1 : noRank;
  return rank + 1 < ranks ? rank + 1 : noRank;
}

// The pass before; of the first, none.
inline Pass before(Pass pass) {
  return pass == Pass::firstForward ? Pass::none : static_cast<Pass>(static_cast<std::uint8_t>(pass) - 1);
}

} // namespace plumbline::schedules::vee
