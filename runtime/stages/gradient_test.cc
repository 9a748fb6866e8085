// The gradients of whole pipelines against finite differences of the reference model, in double.
#include "runtime/stages/testing/pipeline.h"
#include "runtime/stages/testing/reference.h"

#include "runtime/operations/random.h"

#include "gtest/gtest.h"

#include <cmath>
#include <string>

namespace plumbline::stages::testing {
namespace {

constexpr std::int32_t stages = 3;

struct Case {
  const char *name;
  ReferenceSizes sizes;
};

std::string optionsOf(const ReferenceSizes &sizes) {
  const auto number = [](std::size_t n) { return std::to_string(n); };
  return "width=" + number(sizes.width) + ",layers=" + number(sizes.layers / stages) +
         ",context=" + number(sizes.context) + ",batch=" + number(sizes.batch) +
         ",vocabulary=" + number(sizes.vocabulary) + ",optimizer=sgd" +
         (sizes.heads > 0 ? ",heads=" + number(sizes.heads) : "");
}

// The parts of the stages' parameters or gradients that belong to each tensor, in the order of the pipeline.
std::vector<llvm::MutableArrayRef<float>> tensorsIn(const Pipeline &pipeline, const ReferenceSizes &sizes,
                                                    const Guarded &(Pipeline::*which)(std::int32_t) const) {
  std::vector<llvm::MutableArrayRef<float>> tensors;
  std::int32_t stage = 0;
  std::size_t offset = 0;
  for (const std::size_t length : referenceTensors(sizes)) {
    if (offset == (pipeline.*which)(stage).as<float>().size()) {
      ++stage;
      offset = 0;
    }
    tensors.push_back((pipeline.*which)(stage).as<float>().slice(offset, length));
    offset += (length + 63) / 64 * 64;
  }
  EXPECT_EQ(stage, stages - 1);
  return tensors;
}

class Gradient : public ::testing::TestWithParam<Case> {};

TEST_P(Gradient, AgreesWithFiniteDifferencesOfTheReference) {
  const ReferenceSizes sizes = GetParam().sizes;
  Pipeline pipeline(GetParam().name, optionsOf(sizes), stages, 1);
  std::vector<std::int32_t> text;
  for (std::size_t i = 0; i <= sizes.batch * sizes.context; ++i)
    text.push_back(static_cast<std::int32_t>(operations::mix(i) % sizes.vocabulary));
  pipeline.setText(0, text);

  // Values without symmetries: first values have biases of 0 and norms of 1.
  std::vector<Values> values;
  for (const llvm::MutableArrayRef<float> tensor : tensorsIn(pipeline, sizes, &Pipeline::parameters)) {
    for (std::size_t i = 0; i < tensor.size(); ++i)
      tensor[i] += 0.3F * operations::normalNumber(3, values.size(), i);
    values.emplace_back(tensor.begin(), tensor.end());
  }
  const llvm::ArrayRef<std::int32_t> all = text;
  const auto reference = [&] { return referenceLoss(sizes, values, all.drop_back(), all.drop_front()); };
  constexpr float scale = 1.5F;
  EXPECT_NEAR(pipeline.forward(0), reference(), 1e-5);
  pipeline.backward(0, scale, Backward::halves);

  const auto gradients = tensorsIn(pipeline, sizes, &Pipeline::gradients);
  for (std::size_t tensor = 0; tensor < values.size(); ++tensor)
    for (std::size_t i = 0; i < values[tensor].size(); ++i) {
      constexpr double step = 1e-5;
      const double value = values[tensor][i];
      values[tensor][i] = value + step;
      const double above = reference();
      values[tensor][i] = value - step;
      const double below = reference();
      values[tensor][i] = value;
      const double wanted = scale * (above - below) / (2 * step);
      ASSERT_NEAR(gradients[tensor][i], wanted, 2e-6 + 2e-5 * std::fabs(wanted))
          << "number " << i << " of tensor " << tensor;
    }
  EXPECT_TRUE(pipeline.intact());
}

INSTANTIATE_TEST_SUITE_P(
    Models, Gradient,
    ::testing::Values(Case{"mlp", {.width = 6, .layers = 3, .heads = 0, .context = 3, .batch = 2, .vocabulary = 7}},
                      Case{"transformer",
                           {.width = 8, .layers = 3, .heads = 2, .context = 4, .batch = 2, .vocabulary = 11}}));

} // namespace
} // namespace plumbline::stages::testing
