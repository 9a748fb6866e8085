// Each operation against plain loops in double, and each gradient against finite differences of these.
#include "runtime/operations/host_operations.h"
#include "runtime/operations/random.h"

#include "gtest/gtest.h"

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace plumbline::operations {
namespace {

using Doubles = std::vector<double>;
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

// Numbers of either element type behind one face, at a 64-byte boundary or a given number of elements after one.
class Numbers {
public:
  Numbers(Element element, std::int64_t count, std::uint64_t identity, std::size_t shift = 0)
      : Numbers(element, count) {
    offset_ += shift * bytesOf(element);
    for (std::int64_t i = 0; i < count; ++i)
      set(i, normalNumber(11, identity, static_cast<std::uint64_t>(i)));
  }
  Numbers(Element element, std::int64_t count)
      : element_(element), count_(count), bytes_(static_cast<std::size_t>(count) * bytesOf(element) + 256) {
    offset_ = (64 - reinterpret_cast<std::uintptr_t>(bytes_.data()) % 64) % 64;
    for (std::int64_t i = 0; i < count; ++i)
      set(i, nan);
  }
  Numbers(const Numbers &) = delete; // a copy would lie elsewhere
  Numbers &operator=(const Numbers &) = delete;

  void *data() { return bytes_.data() + offset_; }
  float *floats() { return static_cast<float *>(data()); }
  void set(std::int64_t i, float value) {
    if (element_ == Element::f32)
      floats()[i] = value;
    else
      static_cast<BFloat16 *>(data())[i] = BFloat16(value);
  }
  double operator[](std::int64_t i) {
    return element_ == Element::f32 ? floats()[i] : static_cast<float>(static_cast<BFloat16 *>(data())[i]);
  }
  Doubles doubles() {
    Doubles all;
    for (std::int64_t i = 0; i < count_; ++i)
      all.push_back((*this)[i]);
    return all;
  }

private:
  Element element_;
  std::int64_t count_;
  std::vector<std::byte> bytes_;
  std::size_t offset_ = 0;
};

class HostOperations : public ::testing::TestWithParam<Element> {
protected:
  Numbers made(std::int64_t count, std::uint64_t identity) { return {element, count, identity}; }
  Numbers blank(std::int64_t count) { return {element, count}; }
  static Numbers floats(std::int64_t count, std::uint64_t identity) { return {Element::f32, count, identity}; }

  void expectNear(Numbers &got, const Doubles &wanted, double tolerance = 2e-5) const {
    expectNear(got, wanted, tolerance, element);
  }
  static void expectNear(Numbers &got, const Doubles &wanted, double tolerance, Element of) {
    const double relative = of == Element::f32 ? tolerance : 1.0 / 256 + tolerance;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      ASSERT_NEAR(got[static_cast<std::int64_t>(i)], wanted[i], relative * (1 + std::fabs(wanted[i]))) << i;
  }

  Element element = GetParam();
  std::unique_ptr<Operations> operations = makeHostOperations(element);
};

// The gradient of sum(weights * f(x)) by x.
Doubles slope(const std::function<Doubles(const Doubles &)> &f, const Doubles &x, const Doubles &weights) {
  constexpr double step = 1e-5;
  Doubles result;
  for (std::size_t i = 0; i < x.size(); ++i) {
    Doubles moved = x;
    moved[i] = x[i] + step;
    const Doubles above = f(moved);
    moved[i] = x[i] - step;
    const Doubles below = f(moved);
    double sum = 0;
    for (std::size_t k = 0; k < weights.size(); ++k)
      sum += weights[k] * (above[k] - below[k]) / (2 * step);
    result.push_back(sum);
  }
  return result;
}

double at(const Doubles &all, std::int64_t i) { return all[static_cast<std::size_t>(i)]; }

// What Product says, in double. C before is `c`.
Doubles productOf(const Product &p, const Doubles &a, const Doubles &b, Doubles c) {
  for (std::int64_t s = 0; s < p.sequences; ++s)
    for (std::int64_t h = 0; h < p.heads; ++h)
      for (std::int64_t row = 0; row < p.rows; ++row)
        for (std::int64_t column = 0; column < p.columns; ++column) {
          double sum = 0;
          for (std::int64_t k = 0; k < p.inner; ++k)
            sum += at(a, s * p.a.steps.sequence + h * p.a.steps.head +
                             (p.a.transposed ? k * p.a.steps.row + row : row * p.a.steps.row + k)) *
                   at(b, s * p.b.steps.sequence + h * p.b.steps.head +
                             (p.b.transposed ? column * p.b.steps.row + k : k * p.b.steps.row + column));
          double &to =
              c[static_cast<std::size_t>(s * p.steps.sequence + h * p.steps.head + row * p.steps.row + column)];
          to = p.alpha * sum + (p.beta == 0 ? 0 : p.beta * to);
        }
  return c;
}

TEST_P(HostOperations, MultiplyTransposesScalesAndAdds) {
  for (const bool transposeA : {false, true})
    for (const bool transposeB : {false, true})
      for (const float beta : {0.0F, 1.0F, 0.5F}) {
        const std::int64_t rows = 13;
        const std::int64_t columns = 9;
        const std::int64_t inner = 21;
        Numbers a = made(rows * inner, 1);
        Numbers b = made(inner * columns, 2);
        Numbers c = beta == 0 ? blank(rows * columns) : made(rows * columns, 3); // blank: NaN must not be read
        Numbers gradient(Element::f32, rows * columns, 4);
        const Product product = {
            .rows = rows,
            .columns = columns,
            .inner = inner,
            .a = {.data = a.data(), .steps = {.row = transposeA ? rows : inner}, .transposed = transposeA},
            .b = {.data = b.data(), .steps = {.row = transposeB ? inner : columns}, .transposed = transposeB},
            .c = c.data(),
            .steps = {.row = columns},
            .alpha = 0.7F,
            .beta = beta};
        const Doubles wanted = productOf(product, a.doubles(), b.doubles(), c.doubles());
        operations->multiply(nullptr, product);
        expectNear(c, wanted);

        Product intoGradient = product;
        intoGradient.c = gradient.data();
        const Doubles wantedGradient = productOf(intoGradient, a.doubles(), b.doubles(), gradient.doubles());
        operations->multiplyIntoGradient(nullptr, intoGradient);
        expectNear(gradient, wantedGradient, 2e-5, Element::f32);
      }
}

TEST_P(HostOperations, MultiplyWalksTheHeadsInsideRows) {
  // Scores of 2 sequences of 5 tokens, 3 heads of 4, from rows that hold queries, keys and values.
  Numbers entered = made(360, 1);
  Numbers scores = blank(150);
  const Steps heads = {.row = 36, .sequence = 180, .head = 4};
  const Product product = {.rows = 5,
                           .columns = 5,
                           .inner = 4,
                           .a = {.data = entered.data(), .steps = heads},
                           .b = {.data = entered.data(), .steps = heads, .transposed = true},
                           .c = scores.data(),
                           .steps = {.row = 5, .sequence = 75, .head = 25},
                           .alpha = 0.5F,
                           .sequences = 2,
                           .heads = 3};
  const Doubles wanted = productOf(product, entered.doubles(), entered.doubles(), Doubles(150));
  operations->multiply(nullptr, product);
  expectNear(scores, wanted);
}

TEST_P(HostOperations, BiasIsAddedAndItsGradientSummed) {
  Numbers y = made(30, 1);
  Numbers bias = made(5, 2);
  Numbers gradient = floats(5, 3);
  Doubles wanted = y.doubles();
  Doubles sums = gradient.doubles();
  for (std::int64_t i = 0; i < 30; ++i) {
    sums[static_cast<std::size_t>(i % 5)] += y[i];
    wanted[static_cast<std::size_t>(i)] += bias[i % 5];
  }
  operations->addBiasGradient(nullptr, 6, 5, y.data(), gradient.floats());
  operations->addBias(nullptr, 6, 5, bias.data(), y.data());
  expectNear(y, wanted);
  expectNear(gradient, sums, 1e-6, Element::f32);
}

Doubles geluOf(const Doubles &x) {
  Doubles y;
  for (const double v : x)
    y.push_back(0.5 * v * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v))));
  return y;
}

TEST_P(HostOperations, Gelu) {
  Numbers x = made(200, 1);
  for (std::int64_t i = 0; i < 200; ++i)
    x.set(i, static_cast<float>(3 * x[i]));
  x.set(0, 30);
  x.set(1, -30);
  Numbers y = blank(200);
  operations->gelu(nullptr, 200, x.data(), y.data());
  expectNear(y, geluOf(x.doubles()));

  Numbers dy = made(200, 2);
  const Doubles wanted = slope(geluOf, x.doubles(), dy.doubles());
  operations->geluGradient(nullptr, 200, x.data(), dy.data(), x.data());
  expectNear(x, wanted);
}

// Rows of 12 numbers.
Doubles layerNormOf(const Doubles &x, const Doubles &weight, const Doubles &bias) {
  Doubles y;
  for (std::size_t row = 0; row < x.size(); row += 12) {
    double mean = 0;
    double variance = 0;
    for (std::size_t i = 0; i < 12; ++i)
      mean += x[row + i] / 12;
    for (std::size_t i = 0; i < 12; ++i)
      variance += (x[row + i] - mean) * (x[row + i] - mean) / 12;
    for (std::size_t i = 0; i < 12; ++i)
      y.push_back((x[row + i] - mean) / std::sqrt(variance + 1e-5) * weight[i] + bias[i]);
  }
  return y;
}

TEST_P(HostOperations, LayerNorm) {
  Numbers x = made(48, 1);
  for (std::int64_t i = 12; i < 24; ++i)
    x.set(i, static_cast<float>(x[i] + 100)); // a mean far from 0
  Numbers weight = made(12, 2);
  Numbers bias = made(12, 3);
  Numbers dy = made(48, 4);
  Numbers dx = made(48, 5);
  Numbers y = blank(48);
  Numbers mean(Element::f32, 4);
  Numbers reciprocal(Element::f32, 4);
  operations->layerNorm(nullptr, 4, 12, x.data(), weight.data(), bias.data(), y.data(), mean.floats(),
                        reciprocal.floats());
  expectNear(y, layerNormOf(x.doubles(), weight.doubles(), bias.doubles()), 1e-4);

  const auto byX = [&](const Doubles &v) { return layerNormOf(v, weight.doubles(), bias.doubles()); };
  Doubles wanted = slope(byX, x.doubles(), dy.doubles());
  for (std::size_t i = 0; i < 48; ++i)
    wanted[i] += at(dx.doubles(), static_cast<std::int64_t>(i));
  operations->layerNormInputGradient(nullptr, 4, 12, x.data(), weight.data(), dy.data(), mean.floats(),
                                     reciprocal.floats(), dx.data(), dx.data());
  expectNear(dx, wanted, 1e-4);

  Numbers weightGradient = floats(12, 6);
  Numbers biasGradient = floats(12, 7);
  const auto byWeight = [&](const Doubles &v) { return layerNormOf(x.doubles(), v, bias.doubles()); };
  const auto byBias = [&](const Doubles &v) { return layerNormOf(x.doubles(), weight.doubles(), v); };
  Doubles wantedWeight = slope(byWeight, weight.doubles(), dy.doubles());
  Doubles wantedBias = slope(byBias, bias.doubles(), dy.doubles());
  for (std::size_t i = 0; i < 12; ++i) {
    wantedWeight[i] += at(weightGradient.doubles(), static_cast<std::int64_t>(i));
    wantedBias[i] += at(biasGradient.doubles(), static_cast<std::int64_t>(i));
  }
  operations->layerNormWeightGradient(nullptr, 4, 12, x.data(), dy.data(), mean.floats(), reciprocal.floats(),
                                      weightGradient.floats(), biasGradient.floats());
  expectNear(weightGradient, wantedWeight, 1e-4, Element::f32);
  expectNear(biasGradient, wantedBias, 1e-4, Element::f32);
}

// Matrices of 6 x 6.
Doubles softmaxOf(const Doubles &scores) {
  Doubles result(scores.size());
  for (std::size_t row = 0; row < scores.size() / 6; ++row) {
    double sum = 0;
    for (std::size_t i = 0; i <= row % 6; ++i)
      sum += std::exp(scores[row * 6 + i]);
    for (std::size_t i = 0; i <= row % 6; ++i)
      result[row * 6 + i] = std::exp(scores[row * 6 + i]) / sum;
  }
  return result;
}

TEST_P(HostOperations, CausalSoftmax) {
  Numbers scores = made(72, 1);
  Numbers gradient = made(72, 2);
  const Doubles before = scores.doubles();
  operations->causalSoftmax(nullptr, 2, 6, scores.data());
  expectNear(scores, softmaxOf(before));
  const Doubles wanted = slope(softmaxOf, before, gradient.doubles());
  operations->causalSoftmaxGradient(nullptr, 2, 6, scores.data(), gradient.data());
  expectNear(gradient, wanted, element == Element::f32 ? 1e-5 : 0.01);

  Numbers large = blank(1);
  large.set(0, 1e30F); // exp of it would be infinite
  operations->causalSoftmax(nullptr, 1, 1, large.data());
  EXPECT_EQ(large[0], 1);
}

TEST_P(HostOperations, Embedding) {
  const std::vector<std::int32_t> tokens = {3, 0, 3, 1, 3, 0}; // 2 sequences of 3
  const auto tokenAt = [&](std::int64_t row) { return std::int64_t{tokens[static_cast<std::size_t>(row)]}; };
  Numbers vectors = made(20, 1);
  Numbers positions = made(12, 2);
  Numbers y = blank(24);
  operations->embed(nullptr, 6, 3, 4, 5, tokens.data(), vectors.data(), positions.data(), y.data());
  Numbers vectorGradient = floats(20, 3);
  Numbers positionGradient = floats(12, 4);
  Doubles wanted;
  Doubles wantedVectors = vectorGradient.doubles();
  Doubles wantedPositions = positionGradient.doubles();
  for (std::int64_t i = 0; i < 24; ++i)
    wanted.push_back(vectors[tokenAt(i / 4) * 4 + i % 4] + positions[i % 12]);
  expectNear(y, wanted);
  for (std::int64_t i = 0; i < 24; ++i) {
    wantedVectors[static_cast<std::size_t>(tokenAt(i / 4) * 4 + i % 4)] += y[i];
    wantedPositions[static_cast<std::size_t>(i % 12)] += y[i];
  }
  operations->embedGradient(nullptr, 6, 3, 4, 5, tokens.data(), y.data(), vectorGradient.floats(),
                            positionGradient.floats());
  expectNear(vectorGradient, wantedVectors, 1e-6, Element::f32);
  expectNear(positionGradient, wantedPositions, 1e-6, Element::f32);
  EXPECT_EQ(operations->failure(), nullptr);
}

TEST_P(HostOperations, TokensAndLabelsBeyondTheVocabularyFail) {
  const std::vector<std::int32_t> tokens = {0, 5};
  Numbers vectors = made(20, 1);
  Numbers positions = made(8, 2);
  Numbers y = blank(8);
  operations->embed(nullptr, 2, 2, 4, 5, tokens.data(), vectors.data(), positions.data(), y.data());
  EXPECT_STREQ(operations->failure(), "token 5 at place 1 is not in the vocabulary of 5");
  EXPECT_TRUE(std::isnan(y[4]));
  operations->resetFailure();
  EXPECT_EQ(operations->failure(), nullptr);

  const std::vector<std::int32_t> labels = {-1, 0};
  Numbers each(Element::f32, 5);
  operations->crossEntropy(nullptr, 2, 4, vectors.data(), labels.data(), each.floats(), each.floats() + 2,
                           each.floats() + 4);
  EXPECT_STREQ(operations->failure(), "label -1 at place 0 is not in the vocabulary of 4");
  EXPECT_TRUE(std::isnan(each[4]));
}

TEST_P(HostOperations, CrossEntropy) {
  const std::vector<std::int32_t> labels = {6, 0, 2};
  Numbers logits = made(21, 1);
  const auto lossOf = [&](const Doubles &x) {
    double loss = 0;
    for (std::size_t row = 0; row < 3; ++row) {
      double sum = 0;
      for (std::size_t i = 0; i < 7; ++i)
        sum += std::exp(x[row * 7 + i]);
      loss += (std::log(sum) - x[row * 7 + static_cast<std::size_t>(labels[row])]) / 3;
    }
    return Doubles{loss};
  };
  Numbers logarithms(Element::f32, 3);
  Numbers losses(Element::f32, 3);
  Numbers loss(Element::f32, 1);
  operations->crossEntropy(nullptr, 3, 7, logits.data(), labels.data(), logarithms.floats(), losses.floats(),
                           loss.floats());
  expectNear(loss, lossOf(logits.doubles()), 1e-6, Element::f32);
  const Doubles wanted = slope(lossOf, logits.doubles(), {2.5});
  operations->crossEntropyGradient(nullptr, 3, 7, labels.data(), logarithms.floats(), 2.5F, logits.data());
  expectNear(logits, wanted);
}

TEST_P(HostOperations, FillsCopiesAndWidens) {
  Numbers x = blank(10);
  Numbers y = blank(10);
  Numbers wide(Element::f32, 10);
  operations->fillNormal(nullptr, 10, 5, 6, 0.5F, x.data());
  Doubles wanted;
  for (std::uint64_t i = 0; i < 10; ++i)
    wanted.push_back(0.5 * normalNumber(5, 6, i));
  expectNear(x, wanted);
  operations->copy(nullptr, 10, x.data(), y.data());
  operations->widen(nullptr, 10, y.data(), wide.floats());
  EXPECT_EQ(wide.doubles(), x.doubles());
  operations->fill(nullptr, 10, 1.5F, x.data());
  EXPECT_EQ(x.doubles(), Doubles(10, 1.5));
  operations->zero(nullptr, 10U * bytesOf(element), x.data());
  EXPECT_EQ(x.doubles(), Doubles(10, 0));
}

TEST_P(HostOperations, AdamFollowsThePaper) {
  Numbers from = made(8, 1);
  Numbers to = blank(8);
  Numbers gradient = floats(8, 2);
  Numbers first(Element::f32, 8);
  Numbers second(Element::f32, 8);
  Numbers master(Element::f32, 8);
  operations->zero(nullptr, 32, first.data());
  operations->zero(nullptr, 32, second.data());
  operations->widen(nullptr, 8, from.data(), master.floats());
  Doubles wanted = from.doubles();
  Doubles m(8);
  Doubles v(8);
  for (int t = 1; t <= 3; ++t) {
    for (std::size_t i = 0; i < 8; ++i) {
      const double g = at(gradient.doubles(), static_cast<std::int64_t>(i));
      m[i] = 0.9 * m[i] + 0.1 * g;
      v[i] = 0.999 * v[i] + 0.001 * g * g;
      const double direction = m[i] / (1 - std::pow(0.9, t)) / (std::sqrt(v[i] / (1 - std::pow(0.999, t))) + 1e-8);
      wanted[i] -= 0.01 * (direction + 0.1 * wanted[i]);
    }
    const bodies::AdamStep step = {.rate = 0.01F,
                                   .decay = 0.1F,
                                   .firstCorrection = static_cast<float>(1 / (1 - std::pow(0.9, t))),
                                   .secondCorrection = static_cast<float>(1 / (1 - std::pow(0.999, t)))};
    operations->adam(nullptr, step,
                     {.count = 8,
                      .from = t == 1 ? from.data() : to.data(),
                      .gradient = gradient.floats(),
                      .master = element == Element::bf16 ? master.floats() : nullptr,
                      .to = to.data()},
                     first.floats(), second.floats());
  }
  expectNear(to, wanted);
  if (element == Element::bf16)
    expectNear(master, wanted, 2e-5, Element::f32);
}

TEST_P(HostOperations, DescendsFromOneBufferIntoAnother) {
  Numbers from = made(4, 1);
  Numbers to = blank(4);
  Numbers gradient = floats(4, 2);
  Doubles wanted = from.doubles();
  for (std::int64_t i = 0; i < 4; ++i)
    wanted[static_cast<std::size_t>(i)] -= 0.5 * gradient[i];
  operations->descend(nullptr, 0.5F, {.count = 4, .from = from.data(), .gradient = gradient.floats(), .to = to.data()});
  expectNear(to, wanted, 1e-6);
}

std::string nameOf(const ::testing::TestParamInfo<Element> &info) {
  return info.param == Element::f32 ? "f32" : "bf16";
}

INSTANTIATE_TEST_SUITE_P(Elements, HostOperations, ::testing::Values(Element::f32, Element::bf16), nameOf);

// The same values at other addresses, on other threads, at the same time.
TEST(Products, GiveTheSameBitsAnywhere) {
  constexpr std::int64_t rows = 70;
  constexpr std::int64_t columns = 130;
  constexpr std::int64_t inner = 90;
  const auto run = [](std::size_t shift) {
    const std::unique_ptr<Operations> operations = makeHostOperations(Element::f32);
    Numbers a(Element::f32, rows * inner, 1, shift);
    Numbers b(Element::f32, inner * columns, 2, (shift * 3) % 64);
    Numbers c(Element::f32, rows * columns, 3, (shift * 2) % 64);
    for (int i = 0; i < 20; ++i)
      operations->multiply(nullptr, {.rows = rows,
                                     .columns = columns,
                                     .inner = inner,
                                     .a = {.data = a.data(), .steps = {.row = inner}},
                                     .b = {.data = b.data(), .steps = {.row = columns}},
                                     .c = c.data(),
                                     .steps = {.row = columns},
                                     .beta = 0.5F});
    return c.doubles();
  };
  const Doubles wanted = run(0);
  std::vector<Doubles> got(8);
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < got.size(); ++k)
    threads.emplace_back([&, k] { got[k] = run(16 * (k % 4)); });
  for (std::thread &thread : threads)
    thread.join();
  for (const Doubles &values : got)
    EXPECT_EQ(values, wanted);
}

} // namespace
} // namespace plumbline::operations
