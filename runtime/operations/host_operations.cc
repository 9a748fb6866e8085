#include "runtime/operations/host_operations.h"

#include "runtime/operations/random.h"

#include <cblas.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <type_traits>

namespace plumbline::operations {
namespace {

using bodies::Alone;

CBLAS_TRANSPOSE transposeOf(const Side &side) { return side.transposed ? CblasTrans : CblasNoTrans; }

// OpenBLAS's products take 32-bit sizes; stages refuse what is larger when they are made.
void product(const Product &p, const float *a, const float *b, float *c) {
  const auto size = [](std::int64_t n) { return static_cast<blasint>(n); };
  cblas_sgemm(CblasRowMajor, transposeOf(p.a), transposeOf(p.b), size(p.rows), size(p.columns), size(p.inner), p.alpha,
              a, size(p.a.steps.row), b, size(p.b.steps.row), p.beta, c, size(p.steps.row));
}

// OpenBLAS of Debian 12 has no product of bf16 on ordinary processors.
template <typename C> void product(const Product &p, const BFloat16 *a, const BFloat16 *b, C *c) {
  const auto at = [](const Side &side, const BFloat16 *data, std::int64_t row, std::int64_t column) {
    return static_cast<float>(side.transposed ? data[column * side.steps.row + row]
                                              : data[row * side.steps.row + column]);
  };
  for (std::int64_t row = 0; row < p.rows; ++row)
    for (std::int64_t column = 0; column < p.columns; ++column) {
      float sum = 0;
      for (std::int64_t k = 0; k < p.inner; ++k)
        sum += at(p.a, a, row, k) * at(p.b, b, k, column);
      C &to = c[row * p.steps.row + column];
      to = static_cast<C>(p.alpha * sum + (p.beta == 0 ? 0.0F : p.beta * static_cast<float>(to)));
    }
}

// Every matrix of the batch; E is the element of both sides, C that of the result.
template <typename E, typename C> void products(const Product &p) {
  for (std::int64_t sequence = 0; sequence < p.sequences; ++sequence)
    for (std::int64_t head = 0; head < p.heads; ++head) {
      const E *const a = static_cast<const E *>(p.a.data) + sequence * p.a.steps.sequence + head * p.a.steps.head;
      const E *const b = static_cast<const E *>(p.b.data) + sequence * p.b.steps.sequence + head * p.b.steps.head;
      product(p, a, b, static_cast<C *>(p.c) + sequence * p.steps.sequence + head * p.steps.head);
    }
}

template <typename E> class HostOperations final : public Operations {
public:
  [[nodiscard]] Element element() const override { return std::is_same_v<E, float> ? Element::f32 : Element::bf16; }
  [[nodiscard]] const char *failure() const override { return failure_[0] == 0 ? nullptr : failure_.data(); }
  void resetFailure() override { failure_[0] = 0; }

  void multiply(void *, const Product &p) override { products<E, E>(p); }
  void multiplyIntoGradient(void *, const Product &p) override { products<E, float>(p); }

  void addBias(void *, std::int64_t rows, std::int64_t columns, const void *bias, void *y) override {
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t column = 0; column < columns; ++column) {
        E &to = of(y)[row * columns + column];
        to = static_cast<E>(static_cast<float>(to) + static_cast<float>(of(bias)[column]));
      }
  }

  void addBiasGradient(void *, std::int64_t rows, std::int64_t columns, const void *dy, float *gradient) override {
    for (std::int64_t column = 0; column < columns; ++column)
      bodies::addColumnSum(Alone(), rows, columns, column, of(dy), gradient);
  }

  void gelu(void *, std::int64_t n, const void *x, void *y) override {
    for (std::int64_t i = 0; i < n; ++i)
      of(y)[i] = static_cast<E>(bodies::gelu(static_cast<float>(of(x)[i])));
  }

  void geluGradient(void *, std::int64_t n, const void *x, const void *dy, void *dx) override {
    for (std::int64_t i = 0; i < n; ++i)
      of(dx)[i] = static_cast<E>(static_cast<float>(of(dy)[i]) * bodies::geluDerivative(static_cast<float>(of(x)[i])));
  }

  void layerNorm(void *, std::int64_t rows, std::int64_t width, const void *x, const void *weight, const void *bias,
                 void *y, float *mean, float *reciprocal) override {
    for (std::int64_t row = 0; row < rows; ++row)
      bodies::layerNorm(Alone(), width, of(x) + row * width, of(weight), of(bias), of(y) + row * width, mean + row,
                        reciprocal + row);
  }

  void layerNormInputGradient(void *, std::int64_t rows, std::int64_t width, const void *x, const void *weight,
                              const void *dy, const float *mean, const float *reciprocal, const void *residual,
                              void *dx) override {
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t at = row * width;
      bodies::layerNormInputGradient(Alone(), width, of(x) + at, of(weight), of(dy) + at, mean[row], reciprocal[row],
                                     residual ? of(residual) + at : nullptr, of(dx) + at);
    }
  }

  void layerNormWeightGradient(void *, std::int64_t rows, std::int64_t width, const void *x, const void *dy,
                               const float *mean, const float *reciprocal, float *weightGradient,
                               float *biasGradient) override {
    for (std::int64_t column = 0; column < width; ++column)
      bodies::layerNormWeightGradient(Alone(), rows, width, column, of(x), of(dy), mean, reciprocal, weightGradient,
                                      biasGradient);
  }

  void causalSoftmax(void *, std::int64_t matrices, std::int64_t length, void *scores) override {
    for (std::int64_t row = 0; row < matrices * length; ++row)
      bodies::causalSoftmax(Alone(), length, row % length + 1, of(scores) + row * length);
  }

  void causalSoftmaxGradient(void *, std::int64_t matrices, std::int64_t length, const void *probabilities,
                             void *gradient) override {
    for (std::int64_t row = 0; row < matrices * length; ++row)
      bodies::softmaxGradient(Alone(), length, of(probabilities) + row * length, of(gradient) + row * length);
  }

  void embed(void *, std::int64_t rows, std::int64_t context, std::int64_t width, std::int64_t vocabulary,
             const std::int32_t *tokens, const void *vectors, const void *positions, void *y) override {
    requireKnown("token", rows, vocabulary, tokens);
    for (std::int64_t row = 0; row < rows; ++row)
      bodies::embed(Alone(), width, vocabulary, tokens[row], of(vectors), of(positions) + row % context * width,
                    of(y) + row * width);
  }

  void embedGradient(void *, std::int64_t rows, std::int64_t context, std::int64_t width, std::int64_t vocabulary,
                     const std::int32_t *tokens, const void *dy, float *vectorGradient,
                     float *positionGradient) override {
    for (std::int64_t token = 0; token < vocabulary; ++token)
      bodies::tokenGradient(Alone(), rows, width, static_cast<std::int32_t>(token), tokens, of(dy),
                            vectorGradient + token * width);
    for (std::int64_t position = 0; position < context; ++position)
      bodies::positionGradient(Alone(), rows, context, width, position, of(dy), positionGradient + position * width);
  }

  void crossEntropy(void *, std::int64_t rows, std::int64_t vocabulary, const void *logits, const std::int32_t *labels,
                    float *logarithms, float *losses, float *loss) override {
    requireKnown("label", rows, vocabulary, labels);
    for (std::int64_t row = 0; row < rows; ++row)
      bodies::crossEntropy(Alone(), vocabulary, of(logits) + row * vocabulary, labels[row], logarithms + row,
                           losses + row);
    bodies::mean(Alone(), rows, losses, loss);
  }

  void crossEntropyGradient(void *, std::int64_t rows, std::int64_t vocabulary, const std::int32_t *labels,
                            const float *logarithms, float scale, void *logits) override {
    for (std::int64_t row = 0; row < rows; ++row)
      bodies::crossEntropyGradient(Alone(), vocabulary, labels[row], logarithms[row], scale / static_cast<float>(rows),
                                   of(logits) + row * vocabulary);
  }

  void copy(void *, std::int64_t n, const void *from, void *to) override {
    std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(E));
  }

  void zero(void *, std::size_t bytes, void *data) override { std::memset(data, 0, bytes); }

  void fill(void *, std::int64_t n, float value, void *data) override {
    for (std::int64_t i = 0; i < n; ++i)
      of(data)[i] = static_cast<E>(value);
  }

  void fillNormal(void *, std::int64_t n, std::uint64_t seed, std::uint64_t identity, float deviation,
                  void *data) override {
    for (std::int64_t i = 0; i < n; ++i)
      of(data)[i] = static_cast<E>(deviation * normalNumber(seed, identity, static_cast<std::uint64_t>(i)));
  }

  void widen(void *, std::int64_t n, const void *from, float *to) override {
    for (std::int64_t i = 0; i < n; ++i)
      to[i] = static_cast<float>(of(from)[i]);
  }

  void adam(void *, const bodies::AdamStep &step, const ParameterStep &p, float *first, float *second) override {
    for (std::int64_t i = 0; i < p.count; ++i)
      put(p, i, bodies::adam(step, valueOf(p, i), p.gradient[i], first[i], second[i]));
  }

  void descend(void *, float rate, const ParameterStep &p) override {
    for (std::int64_t i = 0; i < p.count; ++i)
      put(p, i, bodies::descend(rate, valueOf(p, i), p.gradient[i]));
  }

private:
  static const E *of(const void *data) { return static_cast<const E *>(data); }
  static E *of(void *data) { return static_cast<E *>(data); }

  static float valueOf(const ParameterStep &p, std::int64_t i) {
    return p.master ? p.master[i] : static_cast<float>(of(p.from)[i]);
  }
  static void put(const ParameterStep &p, std::int64_t i, float value) {
    if (p.master)
      p.master[i] = value;
    of(p.to)[i] = static_cast<E>(value);
  }

  void requireKnown(const char *what, std::int64_t n, std::int64_t vocabulary, const std::int32_t *numbers) {
    for (std::int64_t i = 0; i < n && !failure(); ++i)
      if (numbers[i] < 0 || numbers[i] >= vocabulary)
        std::snprintf(failure_.data(), failure_.size(), "%s %d at place %lld is not in the vocabulary of %lld", what,
                      numbers[i], static_cast<long long>(i), static_cast<long long>(vocabulary));
  }

  std::array<char, 128> failure_ = {};
};

} // namespace

std::unique_ptr<Operations> makeHostOperations(Element element) {
  // One thread a product: ranks are threads already, and sums in one order give the same bits everywhere.
  static std::once_flag once;
  std::call_once(once, [] { openblas_set_num_threads(1); });
  if (element == Element::f32)
    return std::make_unique<HostOperations<float>>();
  return std::make_unique<HostOperations<BFloat16>>();
}

} // namespace plumbline::operations
