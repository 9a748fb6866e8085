// Models learn: on a text that repeats itself the loss falls from ln(vocabulary) to almost nothing.
#include "runtime/stages/testing/pipeline.h"

#include "gtest/gtest.h"

#include <cmath>
#include <string>

namespace plumbline::stages::testing {
namespace {

struct Case {
  const char *name;
  const char *options;
  std::int32_t stages;
  float rate;
  float most; // of the loss in the end
};

class Training : public ::testing::TestWithParam<Case> {};

TEST_P(Training, LowersTheLoss) {
  constexpr std::int32_t microbatches = 2;
  constexpr std::size_t rows = 128; // the default context and batch
  const llvm::StringRef sentence = "the plumb line says what is upright; ";
  Pipeline pipeline(GetParam().name, GetParam().options, GetParam().stages, microbatches);
  std::size_t at = 0;
  float first = 0;
  float last = 0;
  for (int step = 0; step < 100; ++step) {
    last = 0;
    for (std::int32_t microbatch = 0; microbatch < microbatches; ++microbatch) {
      std::vector<std::int32_t> text;
      for (std::size_t i = 0; i <= rows; ++i)
        text.push_back(sentence[(at + i) % sentence.size()]);
      at += rows;
      pipeline.setText(microbatch, text);
      last += pipeline.forward(microbatch) / microbatches;
      pipeline.backward(microbatch, 1.0F / microbatches, Backward::whole);
    }
    pipeline.update(GetParam().rate);
    if (step == 0)
      first = last;
  }
  RecordProperty("first", std::to_string(first));
  RecordProperty("last", std::to_string(last));
  EXPECT_NEAR(first, std::log(256.0F), 0.2);
  EXPECT_LT(last, GetParam().most);
}

std::string nameOfCase(const ::testing::TestParamInfo<Case> &info) {
  return std::string(info.param.name) + std::to_string(info.index);
}

INSTANTIATE_TEST_SUITE_P(Models, Training,
                         ::testing::Values(Case{"mlp", "", 2, 0.003F, 1.0F}, Case{"transformer", "", 2, 0.003F, 0.5F},
                                           Case{"transformer", "optimizer=sgd", 2, 0.5F, 2.5F}),
                         nameOfCase);

} // namespace
} // namespace plumbline::stages::testing
