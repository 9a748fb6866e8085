// The types of the numbers that stages compute with, on the host and on a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

// Marks what nvcc compiles for both sides.
#ifdef __CUDACC__
#define PLUMBLINE_HOST_DEVICE __host__ __device__
#else
#define PLUMBLINE_HOST_DEVICE
#endif

namespace plumbline::operations {

// The element type of activations and parameters. Gradients of parameters, sums and statistics are always f32.
enum class Element : std::uint8_t { f32, bf16 };

constexpr std::size_t bytesOf(Element element) { return element == Element::f32 ? 4 : 2; }

// The upper half of a float. static_cast goes both ways; arithmetic is in float.
struct BFloat16 {
  std::uint16_t bits = 0;

  BFloat16() = default;

  // Rounds to nearest, ties to even; a NaN stays one.
  PLUMBLINE_HOST_DEVICE explicit BFloat16(float value) {
    std::uint32_t word = 0;
    memcpy(&word, &value, sizeof word);
    const bool isNan = (word & 0x7fffffffU) > 0x7f800000U;
    // Half of the last place that stays, less one where that place is even: then ties do not carry.
    const std::uint32_t half = 0x7fffU + ((word >> 16) & 1U);
    bits = static_cast<std::uint16_t>(isNan ? (word >> 16) | 0x40U : (word + half) >> 16);
  }

  PLUMBLINE_HOST_DEVICE explicit operator float() const {
    const std::uint32_t word = static_cast<std::uint32_t>(bits) << 16;
    float value = 0;
    memcpy(&value, &word, sizeof value);
    return value;
  }
};

} // namespace plumbline::operations
