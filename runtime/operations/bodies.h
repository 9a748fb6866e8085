// The bodies of all kernels but the matrix products, for the host and for nvcc alike. A body does one row, one column
// or one element. What it does for all of a row it shares out among a team of threads:
//
//     team.index(), team.size()      this thread, and how many there are
//     team.sum(x), team.max(x)       over the x of all threads; every thread gets the result
//
// On the host a team is one thread, on a device a warp or whatever the kernel makes it. Elements are float or
// BFloat16; arithmetic is in float. Nothing is added to by two teams, so results do not depend on who comes first.
#pragma once

#include "runtime/operations/element.h"

#include <cmath>
#include <cstdint>

namespace plumbline::operations::bodies {

// A team of one thread.
struct Alone {
  [[nodiscard]] PLUMBLINE_HOST_DEVICE static constexpr std::int64_t index() { return 0; }
  [[nodiscard]] PLUMBLINE_HOST_DEVICE static constexpr std::int64_t size() { return 1; }
  [[nodiscard]] PLUMBLINE_HOST_DEVICE static constexpr float sum(float value) { return value; }
  [[nodiscard]] PLUMBLINE_HOST_DEVICE static constexpr float max(float value) { return value; }
};

// The tanh form of GELU: x/2 (1 + tanh(u)), u = sqrt(2/pi) (x + 0.044715 x^3).
namespace gelu_form {
inline constexpr float slope = 0.7978845608028654F;
inline constexpr float cubic = 0.044715F;
} // namespace gelu_form

PLUMBLINE_HOST_DEVICE inline float gelu(float x) {
  const float u = gelu_form::slope * (x + gelu_form::cubic * x * x * x);
  return 0.5F * x * (1 + tanhf(u));
}

// The derivative of gelu at x.
PLUMBLINE_HOST_DEVICE inline float geluDerivative(float x) {
  const float t = tanhf(gelu_form::slope * (x + gelu_form::cubic * x * x * x));
  const float du = gelu_form::slope * (1 + 3 * gelu_form::cubic * x * x);
  return 0.5F * (1 + t) + 0.5F * x * (1 - t * t) * du;
}

// Adds the sum of a column of a rows x columns matrix to `sum`, walking the rows in order.
template <typename Team, typename E>
PLUMBLINE_HOST_DEVICE void addColumnSum(Team team, std::int64_t rows, std::int64_t columns, std::int64_t column,
                                        const E *matrix, float *sum) {
  float partial = 0;
  for (std::int64_t row = team.index(); row < rows; row += team.size())
    partial += static_cast<float>(matrix[row * columns + column]);
  partial = team.sum(partial);
  if (team.index() == 0)
    sum[column] += partial;
}

// y = (x - mean) * reciprocal * weight + bias over one row; keeps mean and reciprocal deviation for the way back.
template <typename Team, typename E>
PLUMBLINE_HOST_DEVICE void layerNorm(Team team, std::int64_t width, const E *x, const E *weight, const E *bias, E *y,
                                     float *mean, float *reciprocal) {
  constexpr float epsilon = 1e-5F;
  float sum = 0;
  for (std::int64_t i = team.index(); i < width; i += team.size())
    sum += static_cast<float>(x[i]);
  const float average = team.sum(sum) / static_cast<float>(width);
  float squares = 0;
  for (std::int64_t i = team.index(); i < width; i += team.size()) {
    const float off = static_cast<float>(x[i]) - average;
    squares += off * off;
  }
  const float inverse = 1 / sqrtf(team.sum(squares) / static_cast<float>(width) + epsilon);
  for (std::int64_t i = team.index(); i < width; i += team.size()) {
    const float normal = (static_cast<float>(x[i]) - average) * inverse;
    y[i] = static_cast<E>(normal * static_cast<float>(weight[i]) + static_cast<float>(bias[i]));
  }
  if (team.index() == 0) {
    *mean = average;
    *reciprocal = inverse;
  }
}

// The gradient of layerNorm's x, plus `residual` where that is not null: with d = dy * weight and n the normal values,
// (d - mean(d) - n * mean(d * n)) * reciprocal. dx may be the memory of residual or of dy.
template <typename Team, typename E>
PLUMBLINE_HOST_DEVICE void layerNormInputGradient(Team team, std::int64_t width, const E *x, const E *weight,
                                                  const E *dy, float mean, float reciprocal, const E *residual, E *dx) {
  float sum = 0;
  float sumOfNormal = 0;
  for (std::int64_t i = team.index(); i < width; i += team.size()) {
    const float d = static_cast<float>(dy[i]) * static_cast<float>(weight[i]);
    sum += d;
    sumOfNormal += d * (static_cast<float>(x[i]) - mean) * reciprocal;
  }
  const float average = team.sum(sum) / static_cast<float>(width);
  const float averageOfNormal = team.sum(sumOfNormal) / static_cast<float>(width);
  for (std::int64_t i = team.index(); i < width; i += team.size()) {
    const float d = static_cast<float>(dy[i]) * static_cast<float>(weight[i]);
    const float normal = (static_cast<float>(x[i]) - mean) * reciprocal;
    const float through = residual ? static_cast<float>(residual[i]) : 0.0F;
    dx[i] = static_cast<E>(through + (d - average - normal * averageOfNormal) * reciprocal);
  }
}

// Adds to the gradients of one column of layerNorm's weight and bias, walking the rows in order.
template <typename Team, typename E>
PLUMBLINE_HOST_DEVICE void layerNormWeightGradient(Team team, std::int64_t rows, std::int64_t width,
                                                   std::int64_t column, const E *x, const E *dy, const float *mean,
                                                   const float *reciprocal, float *weight, float *bias) {
  float sum = 0;
  float sumOfNormal = 0;
  for (std::int64_t row = team.index(); row < rows; row += team.size()) {
    const float d = static_cast<float>(dy[row * width + column]);
    sum += d;
    sumOfNormal += d * (static_cast<float>(x[row * width + column]) - mean[row]) * reciprocal[row];
  }
  sum = team.sum(sum);
  sumOfNormal = team.sum(sumOfNormal);
  if (team.index() == 0) {
    bias[column] += sum;
    weight[column] += sumOfNormal;
  }
}

// Softmax over the first `seen` of a row's `length` scores, in place; the others become 0.
template <typename Team, typename E>
PLUMBLINE_HOST_DEVICE void causalSoftmax(Team team, std::int64_t length, std::int64_t seen, E *scores) {
  float most = -INFINITY;
  for (std::int64_t i = team.index(); i < seen; i += team.size())
    most = fmaxf(most, static_cast<float>(scores[i]));
  most = team.max(most);
  float sum = 0;
  for (std::int64_t i = team.index(); i < seen; i += team.size())
    sum += expf(static_cast<float>(scores[i]) - most);
  const float inverse = 1 / team.sum(sum);
  for (std::int64_t i = team.index(); i < length; i += team.size())
    scores[i] = static_cast<E>(i < seen ? expf(static_cast<float>(scores[i]) - most) * inverse : 0.0F);
}

// From the gradient of a row of probabilities to that of its scores, in place. Probabilities of 0 give 0.
template <typename Team, typename E>
PLUMBLINE_HOST_DEVICE void softmaxGradient(Team team, std::int64_t length, const E *probabilities, E *gradient) {
  float sum = 0;
  for (std::int64_t i = team.index(); i < length; i += team.size())
    sum += static_cast<float>(probabilities[i]) * static_cast<float>(gradient[i]);
  sum = team.sum(sum);
  for (std::int64_t i = team.index(); i < length; i += team.size())
    gradient[i] = static_cast<E>(static_cast<float>(probabilities[i]) * (static_cast<float>(gradient[i]) - sum));
}

// One token's row: its vector plus that of its position. A token beyond the vocabulary gives NaN, never a stray read.
template <typename Team, typename E>
PLUMBLINE_HOST_DEVICE void embed(Team team, std::int64_t width, std::int64_t vocabulary, std::int32_t token,
                                 const E *vectors, const E *position, E *y) {
  const bool known = token >= 0 && token < vocabulary;
  for (std::int64_t i = team.index(); i < width; i += team.size())
    y[i] =
        static_cast<E>(known ? static_cast<float>(vectors[token * width + i]) + static_cast<float>(position[i]) : NAN);
}

// Adds to the gradient of one entry of the vocabulary the rows of dy in which it is the token, in order.
template <typename Team, typename E>
PLUMBLINE_HOST_DEVICE void tokenGradient(Team team, std::int64_t rows, std::int64_t width, std::int32_t token,
                                         const std::int32_t *tokens, const E *dy, float *gradient) {
  for (std::int64_t row = 0; row < rows; ++row)
    if (tokens[row] == token)
      for (std::int64_t i = team.index(); i < width; i += team.size())
        gradient[i] += static_cast<float>(dy[row * width + i]);
}

// Adds to the gradient of one position: row `position` of each sequence of `context` rows, in order.
template <typename Team, typename E>
PLUMBLINE_HOST_DEVICE void positionGradient(Team team, std::int64_t rows, std::int64_t context, std::int64_t width,
                                            std::int64_t position, const E *dy, float *gradient) {
  for (std::int64_t row = position; row < rows; row += context)
    for (std::int64_t i = team.index(); i < width; i += team.size())
      gradient[i] += static_cast<float>(dy[row * width + i]);
}

// Cross-entropy of softmax(logits) against the label, and the logarithm of the softmax's sum for the way back. A label
// beyond the vocabulary gives a loss of NaN.
template <typename Team, typename E>
PLUMBLINE_HOST_DEVICE void crossEntropy(Team team, std::int64_t vocabulary, const E *logits, std::int32_t label,
                                        float *logarithm, float *loss) {
  float most = -INFINITY;
  for (std::int64_t i = team.index(); i < vocabulary; i += team.size())
    most = fmaxf(most, static_cast<float>(logits[i]));
  most = team.max(most);
  float sum = 0;
  for (std::int64_t i = team.index(); i < vocabulary; i += team.size())
    sum += expf(static_cast<float>(logits[i]) - most);
  const float whole = most + logf(team.sum(sum));
  if (team.index() == 0) {
    *logarithm = whole;
    *loss = label >= 0 && label < vocabulary ? whole - static_cast<float>(logits[label]) : NAN;
  }
}

// The mean of n numbers.
template <typename Team>
PLUMBLINE_HOST_DEVICE void mean(Team team, std::int64_t n, const float *values, float *result) {
  float sum = 0;
  for (std::int64_t i = team.index(); i < n; i += team.size())
    sum += values[i];
  sum = team.sum(sum);
  if (team.index() == 0)
    *result = sum / static_cast<float>(n);
}

// The gradient of the logits of a row whose loss counts `factor`, in place of the logits.
template <typename Team, typename E>
PLUMBLINE_HOST_DEVICE void crossEntropyGradient(Team team, std::int64_t vocabulary, std::int32_t label, float logarithm,
                                                float factor, E *logits) {
  for (std::int64_t i = team.index(); i < vocabulary; i += team.size()) {
    const float probability = expf(static_cast<float>(logits[i]) - logarithm);
    logits[i] = static_cast<E>(factor * (probability - (i == label ? 1.0F : 0.0F)));
  }
}

// Adam (Kingma and Ba 2015) with decoupled weight decay (Loshchilov and Hutter 2019).
struct AdamStep {
  float rate = 0;
  float decay = 0;             // of the weights
  float firstCorrection = 1;   // 1 / (1 - firstMoment^step), step counted from 1
  float secondCorrection = 1;  // 1 / (1 - secondMoment^step)
  float firstMoment = 0.9F;    // what is kept of the mean gradient
  float secondMoment = 0.999F; // what is kept of the mean square
  float epsilon = 1e-8F;
};

// The new value of one parameter; moves its two moments along.
PLUMBLINE_HOST_DEVICE inline float adam(const AdamStep &step, float value, float gradient, float &first,
                                        float &second) {
  first = step.firstMoment * first + (1 - step.firstMoment) * gradient;
  second = step.secondMoment * second + (1 - step.secondMoment) * gradient * gradient;
  const float direction = first * step.firstCorrection / (sqrtf(second * step.secondCorrection) + step.epsilon);
  return value - step.rate * (direction + step.decay * value);
}

PLUMBLINE_HOST_DEVICE inline float descend(float rate, float value, float gradient) { return value - rate * gradient; }

} // namespace plumbline::operations::bodies
