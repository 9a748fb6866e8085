// Bounds on what readers accept. Input is untrusted: a file of a few bytes must not ask for gigabytes.
#pragma once

#include <cstdint>

namespace plumbline {

// Largest stage, microbatch, rank or slot number, and so also the largest count of each.
inline constexpr std::int64_t maxNumber = 1'000'000;
// Most instructions in one program. The largest schedules in use have some ten thousand.
inline constexpr std::int64_t maxInstructions = 20'000'000;
// Most (stage, microbatch) pairs; later passes may keep an entry for each.
inline constexpr std::int64_t maxPairs = maxInstructions;
// Most bytes in one input; line and column numbers, and offsets, then fit 32 bits.
inline constexpr std::uint64_t maxTextBytes = std::uint64_t(1) << 30;

} // namespace plumbline
