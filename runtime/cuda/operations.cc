#include "runtime/cuda/operations.h"

#include "runtime/cuda/blas.h"
#include "runtime/cuda/kernels.h"

#include <array>
#include <cstdio>
#include <type_traits>

namespace plumbline::runtime::cuda {
namespace {

using operations::Element;
using operations::Operations;
using operations::ParameterStep;
using operations::Product;

template <typename E> class CudaOperations final : public Operations {
public:
  explicit CudaOperations(std::unique_ptr<Blas> blas) : blas_(std::move(blas)) {}

  [[nodiscard]] Element element() const override { return std::is_same_v<E, float> ? Element::f32 : Element::bf16; }
  [[nodiscard]] const char *failure() const override { return failure_[0] == 0 ? nullptr : failure_.data(); }
  void resetFailure() override { failure_[0] = 0; }

  void multiply(void *stream, const Product &p) override { keep(blas_->multiply(to(stream), p, element(), element())); }
  void multiplyIntoGradient(void *stream, const Product &p) override {
    keep(blas_->multiply(to(stream), p, element(), Element::f32));
  }

  void addBias(void *stream, std::int64_t rows, std::int64_t columns, const void *bias, void *y) override {
    run(stream, rows * columns, AddBias<E>{columns, of(bias), of(y)});
  }
  void addBiasGradient(void *stream, std::int64_t rows, std::int64_t columns, const void *dy,
                       float *gradient) override {
    run(stream, columns, AddBiasGradient<E>{rows, columns, of(dy), gradient});
  }

  void gelu(void *stream, std::int64_t n, const void *x, void *y) override { run(stream, n, Gelu<E>{of(x), of(y)}); }
  void geluGradient(void *stream, std::int64_t n, const void *x, const void *dy, void *dx) override {
    run(stream, n, GeluGradient<E>{of(x), of(dy), of(dx)});
  }

  void layerNorm(void *stream, std::int64_t rows, std::int64_t width, const void *x, const void *weight,
                 const void *bias, void *y, float *mean, float *reciprocal) override {
    run(stream, rows, LayerNorm<E>{width, of(x), of(weight), of(bias), of(y), mean, reciprocal});
  }
  void layerNormInputGradient(void *stream, std::int64_t rows, std::int64_t width, const void *x, const void *weight,
                              const void *dy, const float *mean, const float *reciprocal, const void *residual,
                              void *dx) override {
    run(stream, rows,
        LayerNormInputGradient<E>{width, of(x), of(weight), of(dy), mean, reciprocal, of(residual), of(dx)});
  }
  void layerNormWeightGradient(void *stream, std::int64_t rows, std::int64_t width, const void *x, const void *dy,
                               const float *mean, const float *reciprocal, float *weightGradient,
                               float *biasGradient) override {
    run(stream, width,
        LayerNormWeightGradient<E>{rows, width, of(x), of(dy), mean, reciprocal, weightGradient, biasGradient});
  }

  void causalSoftmax(void *stream, std::int64_t matrices, std::int64_t length, void *scores) override {
    run(stream, matrices * length, CausalSoftmax<E>{length, of(scores)});
  }
  void causalSoftmaxGradient(void *stream, std::int64_t matrices, std::int64_t length, const void *probabilities,
                             void *gradient) override {
    run(stream, matrices * length, SoftmaxGradient<E>{length, of(probabilities), of(gradient)});
  }

  void embed(void *stream, std::int64_t rows, std::int64_t context, std::int64_t width, std::int64_t vocabulary,
             const std::int32_t *tokens, const void *vectors, const void *positions, void *y) override {
    run(stream, rows, Embed<E>{context, width, vocabulary, tokens, of(vectors), of(positions), of(y)});
  }
  void embedGradient(void *stream, std::int64_t rows, std::int64_t context, std::int64_t width, std::int64_t vocabulary,
                     const std::int32_t *tokens, const void *dy, float *vectorGradient,
                     float *positionGradient) override {
    run(stream, vocabulary, TokenGradient<E>{rows, width, tokens, of(dy), vectorGradient});
    run(stream, context, PositionGradient<E>{rows, context, width, of(dy), positionGradient});
  }

  void crossEntropy(void *stream, std::int64_t rows, std::int64_t vocabulary, const void *logits,
                    const std::int32_t *labels, float *logarithms, float *losses, float *loss) override {
    run(stream, rows, CrossEntropy<E>{vocabulary, of(logits), labels, logarithms, losses});
    run(stream, 1, Mean{rows, losses, loss});
  }
  void crossEntropyGradient(void *stream, std::int64_t rows, std::int64_t vocabulary, const std::int32_t *labels,
                            const float *logarithms, float scale, void *logits) override {
    run(stream, rows,
        CrossEntropyGradient<E>{vocabulary, labels, logarithms, scale / static_cast<float>(rows), of(logits)});
  }

  void copy(void *stream, std::int64_t n, const void *from, void *data) override {
    keep(check(
        cudaMemcpyAsync(data, from, static_cast<std::size_t>(n) * sizeof(E), cudaMemcpyDeviceToDevice, to(stream)),
        "cudaMemcpyAsync"));
  }
  void zero(void *stream, std::size_t bytes, void *data) override {
    keep(check(cudaMemsetAsync(data, 0, bytes, to(stream)), "cudaMemsetAsync"));
  }
  void fill(void *stream, std::int64_t n, float value, void *data) override {
    run(stream, n, Fill<E>{value, of(data)});
  }
  void fillNormal(void *stream, std::int64_t n, std::uint64_t seed, std::uint64_t identity, float deviation,
                  void *data) override {
    run(stream, n, FillNormal<E>{seed, identity, deviation, of(data)});
  }
  void widen(void *stream, std::int64_t n, const void *from, float *data) override {
    run(stream, n, Widen<E>{of(from), data});
  }

  void adam(void *stream, const bodies::AdamStep &step, const ParameterStep &p, float *first, float *second) override {
    run(stream, p.count, Adam<E>{step, parametersOf(p), first, second});
  }
  void descend(void *stream, float rate, const ParameterStep &p) override {
    run(stream, p.count, Descend<E>{rate, parametersOf(p)});
  }

private:
  static cudaStream_t to(void *stream) { return static_cast<cudaStream_t>(stream); }
  static const E *of(const void *data) { return static_cast<const E *>(data); }
  static E *of(void *data) { return static_cast<E *>(data); }
  static Parameters<E> parametersOf(const ParameterStep &p) { return {of(p.from), p.gradient, p.master, of(p.to)}; }

  template <typename Body> void run(void *stream, std::int64_t count, const Body &body) {
    keep(check(launch(to(stream), body, count), "a kernel's launch"));
  }
  void keep(const std::string &wrong) {
    if (!wrong.empty() && !failure())
      std::snprintf(failure_.data(), failure_.size(), "%s", wrong.c_str());
  }

  std::unique_ptr<Blas> blas_;
  std::array<char, 256> failure_ = {};
};

} // namespace

std::unique_ptr<Operations> makeCudaOperations(std::int32_t device, Element element, std::string &whyNot) {
  std::unique_ptr<Blas> blas = Blas::make(device, whyNot);
  if (!blas)
    return nullptr;
  if (element == Element::f32)
    return std::make_unique<CudaOperations<float>>(std::move(blas));
  return std::make_unique<CudaOperations<operations::BFloat16>>(std::move(blas));
}

} // namespace plumbline::runtime::cuda
