// Each operation on the stand-in's device against the host's, on the same values: as both run the same bodies in the
// same order, to the last bit.
#include "runtime/cuda/device.h"
#include "runtime/cuda/handles.h"
#include "runtime/cuda/operations.h"
#include "runtime/cuda/standin/standin.h"
#include "runtime/operations/host_operations.h"
#include "runtime/operations/random.h"

#include "gtest/gtest.h"

#include <deque>
#include <functional>
#include <vector>

namespace plumbline::runtime::cuda {
namespace {

using operations::BFloat16;
using operations::Element;
using operations::Operations;
using operations::ParameterStep;
using operations::Product;

// Arrays in the memory of one device, with values that depend only on their order.
class Arrays {
public:
  Arrays(Device &device, void *stream, Element element) : device_(device), stream_(stream), element_(element) {}

  void *numbers(std::int64_t count) { return element_ == Element::f32 ? floats(count) : halves(count); }
  float *floats(std::int64_t count) {
    std::vector<float> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = operations::normalNumber(3, all_.size(), i);
    return static_cast<float *>(put(values));
  }
  std::int32_t *tokens(std::int64_t count, std::int64_t below) {
    std::vector<std::int32_t> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<std::int32_t>(operations::mix(all_.size(), i) % static_cast<std::uint64_t>(below));
    return static_cast<std::int32_t *>(put(values));
  }

  std::vector<std::vector<char>> contents() {
    std::vector<std::vector<char>> bytes;
    for (const DeviceMemory &memory : all_)
      device_.read(bytes.emplace_back(memory.bytes()).data(), memory.data(), memory.bytes(), stream_);
    return bytes;
  }

private:
  void *halves(std::int64_t count) {
    std::vector<BFloat16> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = BFloat16(operations::normalNumber(3, all_.size(), i));
    return put(values);
  }
  template <typename T> void *put(const std::vector<T> &values) {
    const DeviceMemory &memory = all_.emplace_back(device_, values.size() * sizeof(T));
    device_.write(memory.data(), values.data(), memory.bytes(), stream_);
    return memory.data();
  }

  Device &device_;
  void *stream_;
  Element element_;
  std::deque<DeviceMemory> all_;
};

constexpr std::int64_t rows = 12, width = 40, context = 6, vocabulary = 17;

struct Case {
  const char *name;
  std::function<void(Operations &, void *, Arrays &)> run;
};

Product product(Arrays &a, bool transposeA, bool transposeB, std::int64_t sequences, std::int64_t heads, void *c) {
  Product p;
  p.rows = 6;
  p.columns = 5;
  p.inner = 7;
  p.sequences = sequences;
  p.heads = heads;
  const auto steps = [&](std::int64_t row, std::int64_t down) {
    return operations::Steps{row * heads, row * heads * down, row};
  };
  p.a = {a.numbers(std::int64_t(6) * 7 * sequences * heads), transposeA ? steps(6, 7) : steps(7, 6), transposeA};
  p.b = {a.numbers(std::int64_t(5) * 7 * sequences * heads), transposeB ? steps(7, 5) : steps(5, 7), transposeB};
  p.c = c;
  p.steps = steps(5, 6);
  p.alpha = 0.5F;
  p.beta = 1.5F;
  return p;
}

const std::vector<Case> &cases() {
  static const std::vector<Case> all = {
      {"multiply",
       [](Operations &o, void *s, Arrays &a) {
         for (const bool transposeA : {false, true})
           for (const bool transposeB : {false, true})
             o.multiply(s, product(a, transposeA, transposeB, 1, 1, a.numbers(30)));
       }},
      {"multiplyBatch",
       [](Operations &o, void *s, Arrays &a) {
         o.multiply(s, product(a, false, true, 3, 2, a.numbers(180)));
         o.multiply(s, product(a, true, false, 2, 4, a.numbers(240)));
       }},
      {"multiplyIntoGradient",
       [](Operations &o, void *s, Arrays &a) {
         o.multiplyIntoGradient(s, product(a, true, false, 1, 1, a.floats(30)));
       }},
      {"bias",
       [](Operations &o, void *s, Arrays &a) {
         o.addBias(s, rows, width, a.numbers(width), a.numbers(rows * width));
         o.addBiasGradient(s, rows, width, a.numbers(rows * width), a.floats(width));
       }},
      {"gelu",
       [](Operations &o, void *s, Arrays &a) {
         o.gelu(s, 1000, a.numbers(1000), a.numbers(1000));
         o.geluGradient(s, 1000, a.numbers(1000), a.numbers(1000), a.numbers(1000));
       }},
      {"layerNorm",
       [](Operations &o, void *s, Arrays &a) {
         void *x = a.numbers(rows * width), *dy = a.numbers(rows * width), *weight = a.numbers(width);
         float *mean = a.floats(rows), *reciprocal = a.floats(rows);
         o.layerNorm(s, rows, width, x, weight, a.numbers(width), a.numbers(rows * width), mean, reciprocal);
         o.layerNormInputGradient(s, rows, width, x, weight, dy, mean, reciprocal, nullptr, a.numbers(rows * width));
         o.layerNormInputGradient(s, rows, width, x, weight, dy, mean, reciprocal, a.numbers(rows * width),
                                  a.numbers(rows * width));
         o.layerNormWeightGradient(s, rows, width, x, dy, mean, reciprocal, a.floats(width), a.floats(width));
       }},
      {"softmax",
       [](Operations &o, void *s, Arrays &a) {
         void *scores = a.numbers(std::int64_t(2) * 9 * 9);
         o.causalSoftmax(s, 2, 9, scores);
         o.causalSoftmaxGradient(s, 2, 9, scores, a.numbers(std::int64_t(2) * 9 * 9));
       }},
      {"embed",
       [](Operations &o, void *s, Arrays &a) {
         const std::int32_t *tokens = a.tokens(rows, vocabulary);
         o.embed(s, rows, context, width, vocabulary, tokens, a.numbers(vocabulary * width), a.numbers(context * width),
                 a.numbers(rows * width));
         o.embedGradient(s, rows, context, width, vocabulary, tokens, a.numbers(rows * width),
                         a.floats(vocabulary * width), a.floats(context * width));
       }},
      {"crossEntropy",
       [](Operations &o, void *s, Arrays &a) {
         void *logits = a.numbers(rows * vocabulary);
         const std::int32_t *labels = a.tokens(rows, vocabulary);
         float *logarithms = a.floats(rows);
         o.crossEntropy(s, rows, vocabulary, logits, labels, logarithms, a.floats(rows), a.floats(1));
         o.crossEntropyGradient(s, rows, vocabulary, labels, logarithms, 0.25F, logits);
       }},
      {"memory",
       [](Operations &o, void *s, Arrays &a) {
         o.copy(s, 100, a.numbers(100), a.numbers(100));
         o.zero(s, 100, a.numbers(100));
         o.fill(s, 100, 1.25F, a.numbers(100));
         o.fillNormal(s, 1000, 5, 6, 0.5F, a.numbers(1000));
         o.widen(s, 100, a.numbers(100), a.floats(100));
       }},
      {"optimizers",
       [](Operations &o, void *s, Arrays &a) {
         void *parameters = a.numbers(100);
         const ParameterStep plain{100, parameters, a.floats(100), nullptr, parameters};
         const ParameterStep master{100, nullptr, a.floats(100), a.floats(100), a.numbers(100)};
         float *second = a.floats(100);
         o.zero(s, 100 * sizeof(float), second);
         for (const ParameterStep &p : {plain, master}) {
           o.adam(s, {.rate = 0.1F, .decay = 0.01F, .firstCorrection = 2, .secondCorrection = 3}, p, a.floats(100),
                  second);
           o.descend(s, 0.1F, p);
         }
       }},
  };
  return all;
}

class CudaOperations : public ::testing::TestWithParam<std::tuple<Case, Element>> {};

TEST_P(CudaOperations, EqualTheHost) {
  standin::configure({.mostDelay = std::chrono::microseconds(50), .seed = 3});
  const auto &[operation, element] = GetParam();
  HostDevice hostDevice;
  Arrays wanted(hostDevice, nullptr, element);
  const std::unique_ptr<Operations> host = operations::makeHostOperations(element);
  operation.run(*host, nullptr, wanted);
  ASSERT_EQ(host->failure(), nullptr);

  {
    CudaDevice device(0);
    device.use();
    Calls calls;
    const Stream stream = makeStream(calls);
    ASSERT_EQ(calls.wrong(), "");
    std::string whyNot;
    const std::unique_ptr<Operations> cuda = makeCudaOperations(0, element, whyNot);
    ASSERT_TRUE(cuda) << whyNot;
    EXPECT_EQ(cuda->element(), element);
    Arrays got(device, stream.get(), element);
    operation.run(*cuda, stream.get(), got);
    EXPECT_EQ(cuda->failure(), nullptr);
    EXPECT_EQ(got.contents(), wanted.contents());
    EXPECT_STREQ(device.failure(), "");
  }
  EXPECT_EQ(standin::left(), standin::Left());
}

INSTANTIATE_TEST_SUITE_P(Each, CudaOperations,
                         ::testing::Combine(::testing::ValuesIn(cases()),
                                            ::testing::Values(Element::f32, Element::bf16)),
                         [](const auto &one) {
                           return std::string(std::get<0>(one.param).name) +
                                  (std::get<1>(one.param) == Element::f32 ? "F32" : "Bf16");
                         });

// Every call is checked, and what fails is told with its place.
TEST(CudaOperations, TellWhatFailed) {
  standin::configure({});
  std::string whyNot;
  standin::failCall("cublasCreate", 0, CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(makeCudaOperations(0, Element::f32, whyNot), nullptr);
  EXPECT_NE(whyNot.find("cublasCreate failed: "), std::string::npos) << whyNot;
  EXPECT_NE(whyNot.find("[runtime/cuda/blas.cc:"), std::string::npos) << whyNot;
  EXPECT_EQ(makeCudaOperations(7, Element::f32, whyNot), nullptr);
  EXPECT_NE(whyNot.find("cudaSetDevice failed: invalid device ordinal"), std::string::npos) << whyNot;

  const std::unique_ptr<Operations> cuda = makeCudaOperations(0, Element::f32, whyNot);
  ASSERT_TRUE(cuda) << whyNot;
  CudaDevice device(0);
  Arrays arrays(device, nullptr, Element::f32);
  standin::failCall("cudaLaunchKernel", 0, cudaErrorIllegalAddress);
  cuda->gelu(nullptr, 10, arrays.numbers(10), arrays.numbers(10));
  standin::failCall("cudaMemsetAsync", 0, cudaErrorInvalidDevice); // only the first is kept
  cuda->zero(nullptr, 10, arrays.numbers(10));
  ASSERT_NE(cuda->failure(), nullptr);
  EXPECT_NE(std::string(cuda->failure()).find("an illegal memory access"), std::string::npos) << cuda->failure();
  cuda->resetFailure();
  standin::failCall("cublasGemmEx", 0, CUBLAS_STATUS_EXECUTION_FAILED);
  cuda->multiply(nullptr, product(arrays, false, false, 1, 1, arrays.numbers(30)));
  ASSERT_NE(cuda->failure(), nullptr);
  EXPECT_NE(std::string(cuda->failure()).find("cublasGemmEx failed"), std::string::npos) << cuda->failure();
}

} // namespace
} // namespace plumbline::runtime::cuda
