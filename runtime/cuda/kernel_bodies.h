// What every kernel does at one index, as an object that holds the kernel's operands: the bodies of
// runtime/operations/bodies.h and of the synthetic stage, bound to their rows. nvcc makes kernels of them (kernels.cu);
// the stand-in for the CUDA runtime runs the same objects on the host.
//
// perWarp: the 32 threads of a warp share the work at an index; else one thread does it.
#pragma once

#include "runtime/operations/bodies.h"
#include "runtime/operations/operations.h"
#include "runtime/operations/random.h"
#include "runtime/stages/synthetic_bodies.h"

#ifndef __CUDA_ARCH__
#include <chrono>
#include <thread>
#endif

namespace plumbline::runtime::cuda {

namespace bodies = operations::bodies;

template <typename E> struct AddBias {
  static constexpr bool perWarp = false;
  std::int64_t columns;
  const E *bias;
  E *y;
  template <typename Team> PLUMBLINE_HOST_DEVICE void operator()(Team, std::int64_t i) const {
    y[i] = static_cast<E>(static_cast<float>(y[i]) + static_cast<float>(bias[i % columns]));
  }
};

// A thread for each column, not a warp: neighbours then read neighbouring elements, and add up in the host's order.
template <typename E> struct AddBiasGradient {
  static constexpr bool perWarp = false;
  std::int64_t rows, columns;
  const E *dy;
  float *gradient;
  template <typename Team> PLUMBLINE_HOST_DEVICE void operator()(Team team, std::int64_t column) const {
    bodies::addColumnSum(team, rows, columns, column, dy, gradient);
  }
};

template <typename E> struct Gelu {
  static constexpr bool perWarp = false;
  const E *x;
  E *y;
  template <typename Team> PLUMBLINE_HOST_DEVICE void operator()(Team, std::int64_t i) const {
    y[i] = static_cast<E>(bodies::gelu(static_cast<float>(x[i])));
  }
};

template <typename E> struct GeluGradient {
  static constexpr bool perWarp = false;
  const E *x, *dy;
  E *dx;
  template <typename Team> PLUMBLINE_HOST_DEVICE void operator()(Team, std::int64_t i) const {
    dx[i] = static_cast<E>(static_cast<float>(dy[i]) * bodies::geluDerivative(static_cast<float>(x[i])));
  }
};

template <typename E> struct LayerNorm {
  static constexpr bool perWarp = true;
  std::int64_t width;
  const E *x, *weight, *bias;
  E *y;
  float *mean, *reciprocal;
  template <typename Team> PLUMBLINE_HOST_DEVICE void operator()(Team team, std::int64_t row) const {
    bodies::layerNorm(team, width, x + row * width, weight, bias, y + row * width, mean + row, reciprocal + row);
  }
};

template <typename E> struct LayerNormInputGradient {
  static constexpr bool perWarp = true;
  std::int64_t width;
  const E *x, *weight, *dy;
  const float *mean, *reciprocal;
  const E *residual; // may be null
  E *dx;
  template <typename Team> PLUMBLINE_HOST_DEVICE void operator()(Team team, std::int64_t row) const {
    const std::int64_t at = row * width;
    bodies::layerNormInputGradient(team, width, x + at, weight, dy + at, mean[row], reciprocal[row],
                                   residual ? residual + at : nullptr, dx + at);
  }
};

template <typename E> struct LayerNormWeightGradient {
  static constexpr bool perWarp = false; // as AddBiasGradient
  std::int64_t rows, width;
  const E *x, *dy;
  const float *mean, *reciprocal;
  float *weightGradient, *biasGradient;
  template <typename Team> PLUMBLINE_HOST_DEVICE void operator()(Team team, std::int64_t column) const {
    bodies::layerNormWeightGradient(team, rows, width, column, x, dy, mean, reciprocal, weightGradient, biasGradient);
  }
};

template <typename E> struct CausalSoftmax {
  static constexpr bool perWarp = true;
  std::int64_t length;
  E *scores;
  template <typename Team> PLUMBLINE_HOST_DEVICE void operator()(Team team, std::int64_t row) const {
    bodies::causalSoftmax(team, length, row % length + 1, scores + row * length);
  }
};

template <typename E> struct SoftmaxGradient {
  static constexpr bool perWarp = true;
  std::int64_t length;
  const E *probabilities;
  E *gradient;
  template <typename Team> PLUMBLINE_HOST_DEVICE void operator()(Team team, std::int64_t row) const {
    bodies::softmaxGradient(team, length, probabilities + row * length, gradient + row * length);
  }
};

template <typename E> struct Embed {
  static constexpr bool perWarp = true;
  std::int64_t context, width, vocabulary;
  const std::int32_t *tokens;
  const E *vectors, *positions;
  E *y;
  template <typename Team> PLUMBLINE_HOST_DEVICE void operator()(Team team, std::int64_t row) const {
    bodies::embed(team, width, vocabulary, tokens[row], vectors, positions + row % context * width, y + row * width);
  }
};

template <typename E> struct TokenGradient {
  static constexpr bool perWarp = true;
  std::int64_t rows, width;
  const std::int32_t *tokens;
  const E *dy;
  float *gradient;
  template <typename Team> PLUMBLINE_HOST_DEVICE void operator()(Team team, std::int64_t token) const {
    bodies::tokenGradient(team, rows, width, static_cast<std::int32_t>(token), tokens, dy, gradient + token * width);
  }
};

template <typename E> struct PositionGradient {
  static constexpr bool perWarp = true;
  std::int64_t rows, context, width;
  const E *dy;
  float *gradient;
  template <typename Team> PLUMBLINE_HOST_DEVICE void operator()(Team team, std::int64_t position) const {
    bodies::positionGradient(team, rows, context, width, position, dy, gradient + position * width);
  }
};

template <typename E> struct CrossEntropy {
  static constexpr bool perWarp = true;
  std::int64_t vocabulary;
  const E *logits;
  const std::int32_t *labels;
  float *logarithms, *losses;
  template <typename Team> PLUMBLINE_HOST_DEVICE void operator()(Team team, std::int64_t row) const {
    bodies::crossEntropy(team, vocabulary, logits + row * vocabulary, labels[row], logarithms + row, losses + row);
  }
};

template <typename E> struct CrossEntropyGradient {
  static constexpr bool perWarp = true;
  std::int64_t vocabulary;
  const std::int32_t *labels;
  const float *logarithms;
  float factor;
  E *logits;
  template <typename Team> PLUMBLINE_HOST_DEVICE void operator()(Team team, std::int64_t row) const {
    bodies::crossEntropyGradient(team, vocabulary, labels[row], logarithms[row], factor, logits + row * vocabulary);
  }
};

struct Mean {
  static constexpr bool perWarp = true;
  std::int64_t n;
  const float *values;
  float *result;
  template <typename Team> PLUMBLINE_HOST_DEVICE void operator()(Team team, std::int64_t) const {
    bodies::mean(team, n, values, result);
  }
};

template <typename E> struct Fill {
  static constexpr bool perWarp = false;
  float value;
  E *data;
  template <typename Team> PLUMBLINE_HOST_DEVICE void operator()(Team, std::int64_t i) const {
    data[i] = static_cast<E>(value);
  }
};

template <typename E> struct FillNormal {
  static constexpr bool perWarp = false;
  std::uint64_t seed, identity;
  float deviation;
  E *data;
  template <typename Team> PLUMBLINE_HOST_DEVICE void operator()(Team, std::int64_t i) const {
    data[i] = static_cast<E>(deviation * operations::normalNumber(seed, identity, static_cast<std::uint64_t>(i)));
  }
};

template <typename E> struct Widen {
  static constexpr bool perWarp = false;
  const E *from;
  float *to;
  template <typename Team> PLUMBLINE_HOST_DEVICE void operator()(Team, std::int64_t i) const {
    to[i] = static_cast<float>(from[i]);
  }
};

// The value of a parameter before a step, and after it: see ParameterStep.
template <typename E> struct Parameters {
  const E *from;
  const float *gradient;
  float *master;
  E *to;
  [[nodiscard]] PLUMBLINE_HOST_DEVICE float valueOf(std::int64_t i) const {
    return master ? master[i] : static_cast<float>(from[i]);
  }
  PLUMBLINE_HOST_DEVICE void put(std::int64_t i, float value) const {
    if (master)
      master[i] = value;
    to[i] = static_cast<E>(value);
  }
};

template <typename E> struct Adam {
  static constexpr bool perWarp = false;
  bodies::AdamStep step;
  Parameters<E> parameters;
  float *first, *second;
  template <typename Team> PLUMBLINE_HOST_DEVICE void operator()(Team, std::int64_t i) const {
    parameters.put(i, bodies::adam(step, parameters.valueOf(i), parameters.gradient[i], first[i], second[i]));
  }
};

template <typename E> struct Descend {
  static constexpr bool perWarp = false;
  float rate;
  Parameters<E> parameters;
  template <typename Team> PLUMBLINE_HOST_DEVICE void operator()(Team, std::int64_t i) const {
    parameters.put(i, bodies::descend(rate, parameters.valueOf(i), parameters.gradient[i]));
  }
};

// to += from: gradients of replicas of a stage on one device.
struct AddFloats {
  static constexpr bool perWarp = false;
  const float *from;
  float *to;
  template <typename Team> PLUMBLINE_HOST_DEVICE void operator()(Team, std::int64_t i) const { to[i] += from[i]; }
};

// A pass of the synthetic stage, on one thread, which then spins until the pass has taken its time.
template <typename Pass> struct Timed {
  static constexpr bool perWarp = false;
  Pass pass;
  std::int64_t microseconds;
  template <typename Team> PLUMBLINE_HOST_DEVICE void operator()(Team, std::int64_t) const {
#ifdef __CUDA_ARCH__
    const auto now = [] {
      std::uint64_t nanoseconds = 0;
      asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
      return nanoseconds;
    };
    const std::uint64_t end = now() + static_cast<std::uint64_t>(microseconds) * 1000;
    pass();
    while (now() < end) {
    }
#else
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
    pass();
    std::this_thread::sleep_until(end);
#endif
  }
};

// Every kernel there is: X(body).
#define PLUMBLINE_KERNELS_OF(X, E)                                                                                     \
  X(AddBias<E>)                                                                                                        \
  X(AddBiasGradient<E>)                                                                                                \
  X(Gelu<E>)                                                                                                           \
  X(GeluGradient<E>)                                                                                                   \
  X(LayerNorm<E>)                                                                                                      \
  X(LayerNormInputGradient<E>)                                                                                         \
  X(LayerNormWeightGradient<E>)                                                                                        \
  X(CausalSoftmax<E>)                                                                                                  \
  X(SoftmaxGradient<E>)                                                                                                \
  X(Embed<E>)                                                                                                          \
  X(TokenGradient<E>)                                                                                                  \
  X(PositionGradient<E>)                                                                                               \
  X(CrossEntropy<E>)                                                                                                   \
  X(CrossEntropyGradient<E>)                                                                                           \
  X(Fill<E>)                                                                                                           \
  X(FillNormal<E>)                                                                                                     \
  X(Widen<E>)                                                                                                          \
  X(Adam<E>)                                                                                                           \
  X(Descend<E>)
#define PLUMBLINE_KERNELS(X)                                                                                           \
  PLUMBLINE_KERNELS_OF(X, float)                                                                                       \
  PLUMBLINE_KERNELS_OF(X, operations::BFloat16)                                                                        \
  X(Mean)                                                                                                              \
  X(AddFloats)                                                                                                         \
  X(Timed<stages::SyntheticForward>)                                                                                   \
  X(Timed<stages::SyntheticBackward>)                                                                                  \
  X(Timed<stages::SyntheticFirstValues>)                                                                               \
  X(Timed<stages::SyntheticUpdate>)

} // namespace plumbline::runtime::cuda
