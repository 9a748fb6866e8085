// Random numbers that are functions of what they are for. Any thread, on the host or on a device, computes the n-th
// number of a tensor without the ones before it, and the same one.
#pragma once

#include "runtime/operations/element.h"

#include <cmath>
#include <cstdint>

namespace plumbline::operations {

// A bijection of 64-bit numbers in which every bit of the result depends on every bit of `value`: a step of SplitMix64
// (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators").
PLUMBLINE_HOST_DEVICE constexpr std::uint64_t mix(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

PLUMBLINE_HOST_DEVICE constexpr std::uint64_t mix(std::uint64_t first, std::uint64_t second) {
  return mix(mix(first) ^ second);
}

// The number `index` of the normally distributed (0, 1) numbers of a tensor, by Box and Muller's method. In double, so
// that the last bits in which two mathematical libraries differ are rounded away.
PLUMBLINE_HOST_DEVICE inline float normalNumber(std::uint64_t seed, std::uint64_t identity, std::uint64_t index) {
  const std::uint64_t bits = mix(mix(seed, identity), index);
  constexpr double scale = 1.0 / 4294967296.0;
  constexpr double fullTurn = 6.283185307179586476925;
  const double radius = (static_cast<double>(bits >> 32) + 1) * scale; // above 0, for the logarithm
  const double angle = static_cast<double>(bits & 0xffffffffU) * scale * fullTurn;
  return static_cast<float>(sqrt(-2.0 * log(radius)) * cos(angle));
}

} // namespace plumbline::operations
