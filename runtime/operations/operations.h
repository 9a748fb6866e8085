// The arithmetic that the bundled stages need, wherever it is done. One object belongs to one stage; its calls never
// overlap. `stream` is the cudaStream_t to work on, null on the host. A call on a device returns before the work is
// done; calls on one stream take effect in order. Nothing is allocated in a call.
//
// Matrices are in row-major order, one row behind the other unless said otherwise. `void` pointers are to elements of
// type element(); they are aligned to 64 bytes unless they point into a row. The same call on the same values gives
// the same bits. Inputs and outputs do not overlap unless said.
#pragma once

#include "runtime/operations/bodies.h"
#include "runtime/operations/element.h"

#include <cstddef>
#include <cstdint>

namespace plumbline::operations {

// How the matrices of a batch lie in memory, in elements.
struct Steps {
  std::int64_t row = 0;      // from one row, as it lies in memory, to the next
  std::int64_t sequence = 0; // from one matrix to the next in the outer loop of the batch
  std::int64_t head = 0;     // and in the inner loop
};

struct Side {
  const void *data = nullptr;
  Steps steps = {};
  bool transposed = false;
};

// For every matrix of the batch: C = alpha A B + beta C. A is rows x inner, B inner x columns after their transposing.
// The batch is two loops deep, so that attention finds its heads where one wide product has left them. Where beta is 0
// C is not read. Rows, columns, inner and row steps fit into 31 bits.
struct Product {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t inner = 0;
  Side a = {};
  Side b = {};
  void *c = nullptr;
  Steps steps = {}; // of C
  float alpha = 1;
  float beta = 0;
  std::int64_t sequences = 1;
  std::int64_t heads = 1;
};

// Where an optimizer finds parameters. master is the f32 copy that bf16 parameters are rounded from, null for f32.
struct ParameterStep {
  std::int64_t count = 0;
  const void *from = nullptr;      // read, unless there is a master copy
  const float *gradient = nullptr; // read
  float *master = nullptr;         // read and written
  void *to = nullptr;              // written; may be `from`
};

class Operations {
public:
  Operations() = default;
  Operations(const Operations &) = delete;
  Operations &operator=(const Operations &) = delete;
  virtual ~Operations() = default;

  // Of activations and parameters.
  [[nodiscard]] virtual Element element() const = 0;
  // Why a call since the last reset failed, for people; null if none did.
  [[nodiscard]] virtual const char *failure() const = 0;
  virtual void resetFailure() = 0;

  // C, of element().
  virtual void multiply(void *stream, const Product &product) = 0;
  // C, of f32: a gradient.
  virtual void multiplyIntoGradient(void *stream, const Product &product) = 0;

  // y[rows, columns] += bias[columns] in every row.
  virtual void addBias(void *stream, std::int64_t rows, std::int64_t columns, const void *bias, void *y) = 0;
  // gradient[columns] += sums of the columns of dy[rows, columns].
  virtual void addBiasGradient(void *stream, std::int64_t rows, std::int64_t columns, const void *dy,
                               float *gradient) = 0;

  // y[n] = gelu(x[n]).
  virtual void gelu(void *stream, std::int64_t n, const void *x, void *y) = 0;
  // dx[n] = dy[n] * gelu'(x[n]). dx may be x.
  virtual void geluGradient(void *stream, std::int64_t n, const void *x, const void *dy, void *dx) = 0;

  // y[rows, width] from x; writes mean[rows] and reciprocal[rows], the inverse of the deviation.
  virtual void layerNorm(void *stream, std::int64_t rows, std::int64_t width, const void *x, const void *weight,
                         const void *bias, void *y, float *mean, float *reciprocal) = 0;
  // dx[rows, width] = the gradient of layerNorm's x + residual[rows, width]; residual may be null, or dx.
  virtual void layerNormInputGradient(void *stream, std::int64_t rows, std::int64_t width, const void *x,
                                      const void *weight, const void *dy, const float *mean, const float *reciprocal,
                                      const void *residual, void *dx) = 0;
  // Adds to weightGradient[width] and biasGradient[width].
  virtual void layerNormWeightGradient(void *stream, std::int64_t rows, std::int64_t width, const void *x,
                                       const void *dy, const float *mean, const float *reciprocal,
                                       float *weightGradient, float *biasGradient) = 0;

  // scores[matrices, length, length] in place: row r of a matrix becomes the softmax of its first r+1 scores, and 0.
  virtual void causalSoftmax(void *stream, std::int64_t matrices, std::int64_t length, void *scores) = 0;
  // gradient[matrices, length, length] in place, from that of the probabilities to that of the scores.
  virtual void causalSoftmaxGradient(void *stream, std::int64_t matrices, std::int64_t length,
                                     const void *probabilities, void *gradient) = 0;

  // y[rows, width] = vectors[tokens[row]] + positions[row mod context]; vectors[vocabulary, width],
  // positions[context, width]. A token beyond the vocabulary gives a row of NaN, and on the host a failure.
  virtual void embed(void *stream, std::int64_t rows, std::int64_t context, std::int64_t width, std::int64_t vocabulary,
                     const std::int32_t *tokens, const void *vectors, const void *positions, void *y) = 0;
  // Adds dy[rows, width] to vectorGradient[vocabulary, width] and positionGradient[context, width].
  virtual void embedGradient(void *stream, std::int64_t rows, std::int64_t context, std::int64_t width,
                             std::int64_t vocabulary, const std::int32_t *tokens, const void *dy, float *vectorGradient,
                             float *positionGradient) = 0;

  // *loss = mean over rows of the cross-entropy of softmax(logits[row, vocabulary]) against labels[row]. Writes
  // logarithms[rows], of the sums of the softmax, and losses[rows]. A label beyond the vocabulary gives NaN, and on the
  // host a failure.
  virtual void crossEntropy(void *stream, std::int64_t rows, std::int64_t vocabulary, const void *logits,
                            const std::int32_t *labels, float *logarithms, float *losses, float *loss) = 0;
  // In place of logits[rows, vocabulary]: scale times the gradient of *loss.
  virtual void crossEntropyGradient(void *stream, std::int64_t rows, std::int64_t vocabulary,
                                    const std::int32_t *labels, const float *logarithms, float scale, void *logits) = 0;

  virtual void copy(void *stream, std::int64_t n, const void *from, void *to) = 0;
  virtual void zero(void *stream, std::size_t bytes, void *data) = 0;
  virtual void fill(void *stream, std::int64_t n, float value, void *data) = 0;
  // data[n] = deviation * normal numbers of (seed, identity); the same on every machine.
  virtual void fillNormal(void *stream, std::int64_t n, std::uint64_t seed, std::uint64_t identity, float deviation,
                          void *data) = 0;
  // to[n] = from[n], as f32.
  virtual void widen(void *stream, std::int64_t n, const void *from, float *to) = 0;

  // first[count] and second[count] are the moments, read and written.
  virtual void adam(void *stream, const bodies::AdamStep &step, const ParameterStep &parameters, float *first,
                    float *second) = 0;
  // to = from - rate * gradient.
  virtual void descend(void *stream, float rate, const ParameterStep &parameters) = 0;
};

} // namespace plumbline::operations
