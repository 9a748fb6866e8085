// What the passes of the synthetic stage do to memory, for the host and for nvcc alike; see synthetic.h. Each is an
// object that holds its operands, and is called once, by one thread.
#pragma once

#include "runtime/operations/random.h"

#include <cstddef>
#include <cstdint>

namespace plumbline::stages {

// Parameters and gradients are that many f32. A digest is added to the gradients as bytes: sums of up to 65,793 bytes
// are exact in any order.
inline constexpr std::uint64_t syntheticLanes = 8;

// What the passes of a microbatch leave for each other, at the start of the stash.
struct SyntheticStash {
  std::uint64_t input = 0;
  std::uint64_t output = 0;
  std::uint64_t gradient = 0;
};

PLUMBLINE_HOST_DEVICE inline std::uint64_t wordAt(const void *data, std::uint64_t offset) {
  std::uint64_t word = 0;
  memcpy(&word, static_cast<const unsigned char *>(data) + offset, sizeof word);
  return word;
}

// The digest in an activation or gradient of so many bytes, and one put there. A message cut short loses the copy at
// the end.
PLUMBLINE_HOST_DEVICE inline std::uint64_t digestIn(const void *data, std::uint64_t bytes) {
  return operations::mix(wordAt(data, 0), wordAt(data, bytes - sizeof(std::uint64_t)));
}
PLUMBLINE_HOST_DEVICE inline void putDigest(std::uint64_t digest, void *data, std::uint64_t bytes) {
  memcpy(data, &digest, sizeof digest);
  memcpy(static_cast<unsigned char *>(data) + bytes - sizeof digest, &digest, sizeof digest);
}

// What distinguishes a pass from every other: where in the pipeline, which microbatch, with which weights.
struct SyntheticPlace {
  std::int32_t stage;
  std::int32_t microbatch;
  const void *parameters;

  [[nodiscard]] PLUMBLINE_HOST_DEVICE std::uint64_t digest() const {
    std::uint64_t place = operations::mix(static_cast<std::uint64_t>(stage), static_cast<std::uint64_t>(microbatch));
    for (std::uint64_t at = 0; at < syntheticLanes * sizeof(float); at += sizeof(std::uint64_t))
      place = operations::mix(place, wordAt(parameters, at));
    return place;
  }
};

struct SyntheticForward {
  SyntheticPlace place;
  bool first, last;
  std::uint64_t bytes; // of an activation
  const void *input;
  void *output, *stash;

  PLUMBLINE_HOST_DEVICE void operator()() const {
    SyntheticStash kept;
    kept.input = first ? digestOfData() : digestIn(input, bytes);
    kept.output = operations::mix(place.digest(), kept.input);
    memcpy(stash, &kept, sizeof kept);
    if (last) // the upper 24 bits, as a fraction: exact
      *static_cast<float *>(output) = static_cast<float>(kept.output >> 40) * 0x1p-24F;
    else
      putDigest(kept.output, output, bytes);
  }

private:
  // Of the data source's input so much counts, lest reading it take time.
  static constexpr std::uint64_t mostHashed = 512;

  [[nodiscard]] PLUMBLINE_HOST_DEVICE std::uint64_t digestOfData() const {
    std::uint64_t digest = bytes;
    for (std::uint64_t at = 0; at + sizeof(std::uint64_t) <= bytes && at < mostHashed; at += sizeof(std::uint64_t))
      digest = operations::mix(digest, wordAt(input, at));
    return digest;
  }
};

// A backward pass, or one of its halves.
struct SyntheticBackward {
  SyntheticPlace place;
  bool last;
  bool differentiates, accumulates; // the input half, the weight half
  float scale;                      // of the last stage
  std::uint64_t bytes;
  const void *outputGradient;
  void *inputGradient; // may be null
  void *stash;
  float *gradients;

  PLUMBLINE_HOST_DEVICE void operator()() const {
    if (differentiates)
      differentiate();
    if (accumulates)
      accumulate();
  }

private:
  // The gradient's digest, from that behind the stage and from what the forward pass saw.
  PLUMBLINE_HOST_DEVICE void differentiate() const {
    SyntheticStash kept;
    memcpy(&kept, stash, sizeof kept);
    std::uint64_t behind = 0;
    if (last)
      memcpy(&behind, &scale, sizeof scale);
    else
      behind = digestIn(outputGradient, bytes);
    kept.gradient = operations::mix(operations::mix(place.digest(), behind), operations::mix(kept.input, kept.output));
    memcpy(stash, &kept, sizeof kept);
    if (inputGradient)
      putDigest(kept.gradient, inputGradient, bytes);
  }

  PLUMBLINE_HOST_DEVICE void accumulate() const {
    const std::uint64_t digest = wordAt(stash, offsetof(SyntheticStash, gradient));
    for (std::uint64_t lane = 0; lane < syntheticLanes; ++lane)
      gradients[lane] += static_cast<float>(digest >> (8 * lane) & 0xffU);
  }
};

struct SyntheticFirstValues {
  std::uint64_t seed;
  std::int32_t stage;
  float *parameters;

  PLUMBLINE_HOST_DEVICE void operator()() const {
    for (std::uint64_t lane = 0; lane < syntheticLanes; ++lane)
      parameters[lane] = operations::normalNumber(seed, static_cast<std::uint64_t>(stage), lane);
  }
};

struct SyntheticUpdate {
  float rate;
  const float *from, *gradients;
  float *to;

  PLUMBLINE_HOST_DEVICE void operator()() const {
    for (std::uint64_t lane = 0; lane < syntheticLanes; ++lane)
      to[lane] = from[lane] - rate * gradients[lane];
  }
};

} // namespace plumbline::stages
