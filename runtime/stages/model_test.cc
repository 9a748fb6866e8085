// What the runtime relies on: the same bits however a step is cut up, and nothing written where it does not belong.
#include "runtime/stages/stages.h"
#include "runtime/stages/testing/pipeline.h"

#include "runtime/operations/random.h"

#include "gtest/gtest.h"

#include <cmath>
#include <string>

namespace plumbline::stages::testing {
namespace {

constexpr std::int32_t microbatches = 3;
constexpr std::size_t rows = 12; // of a microbatch

class Model : public ::testing::TestWithParam<const char *> {
protected:
  // "mlp" or "transformer", and the element type behind a dash.
  [[nodiscard]] static llvm::StringRef name() { return llvm::StringRef(GetParam()).split('-').first; }
  [[nodiscard]] static std::string options(const std::string &layers = "1") {
    const std::string element = llvm::StringRef(GetParam()).split('-').second.str();
    return "width=16,context=4,batch=3,vocabulary=50,layers=" + layers + ",element=" + element;
  }
  static void setTexts(Pipeline &pipeline) {
    for (std::int32_t microbatch = 0; microbatch < microbatches; ++microbatch) {
      std::vector<std::int32_t> text;
      for (std::uint64_t i = 0; i <= rows; ++i)
        text.push_back(static_cast<std::int32_t>(operations::mix(static_cast<std::uint64_t>(microbatch), i) % 50));
      pipeline.setText(microbatch, text);
    }
  }
  // Two steps over all microbatches, and what is left behind.
  static std::vector<std::byte> train(Pipeline &pipeline, Backward way, bool recompute = false) {
    setTexts(pipeline);
    for (int step = 0; step < 2; ++step) {
      for (std::int32_t microbatch = 0; microbatch < microbatches; ++microbatch)
        EXPECT_TRUE(std::isfinite(pipeline.forward(microbatch)));
      for (std::int32_t microbatch = 0; microbatch < microbatches; ++microbatch) {
        for (std::int32_t stage = 0; stage < pipeline.stages() && recompute; ++stage) {
          pipeline.stash(stage, microbatch).fill(0x7f);
          pipeline.output(stage, microbatch).fill(0x7f);
          pipeline.forwardStage(stage, microbatch);
        }
        pipeline.backward(microbatch, 1.0F / microbatches, way);
      }
      if (step == 0)
        pipeline.update(0.01F);
    }
    EXPECT_TRUE(pipeline.intact());
    return pipeline.state();
  }
};

TEST_P(Model, HalvesGiveTheBitsOfTheWhole) {
  Pipeline whole(name(), options(), 3, microbatches);
  Pipeline halves(name(), options(), 3, microbatches);
  EXPECT_EQ(train(whole, Backward::whole), train(halves, Backward::halves));
}

TEST_P(Model, ForwardAgainGivesTheSameBits) {
  Pipeline once(name(), options(), 3, microbatches);
  Pipeline twice(name(), options(), 3, microbatches);
  EXPECT_EQ(train(once, Backward::halves), train(twice, Backward::halves, true));
}

TEST_P(Model, WhatBuffersHeldBeforeDoesNotMatter) {
  Pipeline ones(name(), options(), 3, microbatches, 0xff);
  Pipeline others(name(), options(), 3, microbatches, 0x3c);
  EXPECT_EQ(train(ones, Backward::whole), train(others, Backward::whole));
}

TEST_P(Model, MicrobatchesDoNotTouchEachOther) {
  Pipeline pipeline(name(), options(), 2, microbatches);
  setTexts(pipeline);
  const float first = pipeline.forward(0);
  pipeline.forward(1);
  EXPECT_EQ(pipeline.forward(0), first);
}

// Two stages of two layers are the same model as four of one, and as one of four: the same first values, the same
// arithmetic, and after an update the same losses.
TEST_P(Model, IsTheSameHoweverItIsCutIntoStages) {
  Pipeline one(name(), options("4"), 1, microbatches);
  Pipeline two(name(), options("2"), 2, microbatches);
  Pipeline four(name(), options("1"), 4, microbatches);
  train(one, Backward::halves);
  train(two, Backward::halves);
  train(four, Backward::halves);
  for (std::int32_t microbatch = 0; microbatch < microbatches; ++microbatch) {
    const float loss = one.forward(microbatch);
    EXPECT_EQ(two.forward(microbatch), loss);
    EXPECT_EQ(four.forward(microbatch), loss);
  }
}

TEST_P(Model, NeighboursAgreeOnSizes) {
  const Pipeline pipeline(name(), options(), 3, 1);
  EXPECT_EQ(pipeline.sizes(0).input.count, rows);
  EXPECT_EQ(pipeline.sizes(0).input.element, PLUMBLINE_I32);
  for (std::int32_t stage = 0; stage < 2; ++stage) {
    EXPECT_EQ(pipeline.sizes(stage).output.count, pipeline.sizes(stage + 1).input.count);
    EXPECT_EQ(pipeline.sizes(stage).output.element, pipeline.sizes(stage + 1).input.element);
    EXPECT_EQ(pipeline.sizes(stage).labels.count, 0U);
  }
  EXPECT_EQ(pipeline.sizes(2).labels.count, rows);
  EXPECT_EQ(pipeline.sizes(2).output.count, 1U);
  EXPECT_EQ(pipeline.sizes(2).output.element, PLUMBLINE_F32);
}

std::string nameOfCase(const ::testing::TestParamInfo<const char *> &info) {
  const auto [model, element] = llvm::StringRef(info.param).split('-');
  return model.str() + "_" + element.str();
}

INSTANTIATE_TEST_SUITE_P(Models, Model, ::testing::Values("mlp-f32", "mlp-bf16", "transformer-f32", "transformer-bf16"),
                         nameOfCase);

// Calls that must fail, with nothing but a message.
class Refusal : public ::testing::Test {
protected:
  void SetUp() override {
    const plumbline_stage_request request = {0, 1, -1, 1, "width=8,context=2,batch=1,vocabulary=4,layers=1"};
    ASSERT_EQ(functions->create(&request, &stage, &sizes, message, sizeof message), 0) << message;
    input = Guarded(sizes.input, 0);
    labels = Guarded(sizes.labels, 0);
    stash = Guarded(sizes.stash, 0);
    output = Guarded(sizes.output, 0);
    parameters = Guarded(sizes.parameters, 0);
    workspace = Guarded({sizes.workspace, PLUMBLINE_BYTE}, 0);
  }
  void TearDown() override { functions->destroy(stage); }

  plumbline_pass pass() {
    plumbline_pass all = {};
    all.input = input.buffer();
    all.labels = labels.buffer();
    all.stash = stash.buffer();
    all.output = output.buffer();
    all.parameters = parameters.buffer();
    all.workspace = workspace.buffer();
    all.message = message;
    all.message_size = sizeof message;
    return all;
  }

  const plumbline_stage_functions *functions = bundledStage("mlp");
  void *stage = nullptr;
  plumbline_stage_sizes sizes = {};
  char message[256] = {};
  Guarded input, labels, stash, output, parameters, workspace;
};

TEST_F(Refusal, OfBuffersThatAreTooSmall) {
  plumbline_pass small = pass();
  small.stash.count -= 1;
  EXPECT_NE(functions->forward(stage, &small), 0);
  EXPECT_EQ(message, "mlp stage 0 needs " + std::to_string(sizes.stash.count) + " elements of stash; got " +
                         std::to_string(sizes.stash.count - 1));
  plumbline_pass none = pass();
  none.labels = {};
  EXPECT_NE(functions->forward(stage, &none), 0);
  EXPECT_STREQ(message, "mlp stage 0 needs 2 elements of labels; got 0");
  EXPECT_NE(functions->backward(stage, &none), 0);
}

TEST_F(Refusal, OfTokensBeyondTheVocabularyAndGoesOnAfter) {
  const plumbline_pass fine = pass();
  input.as<std::int32_t>()[1] = 4;
  EXPECT_NE(functions->forward(stage, &fine), 0);
  EXPECT_STREQ(message, "mlp stage 0: token 4 at place 1 is not in the vocabulary of 4");
  input.as<std::int32_t>()[1] = 3;
  EXPECT_EQ(functions->forward(stage, &fine), 0);
}

TEST_F(Refusal, CutsMessagesToTheirRoom) {
  plumbline_pass none = pass();
  none.input = {};
  none.message_size = 4;
  message[4] = '!';
  EXPECT_NE(functions->forward(stage, &none), 0);
  EXPECT_STREQ(message, "mlp");
  EXPECT_EQ(message[4], '!');
  none.message = nullptr;
  none.message_size = 0;
  EXPECT_NE(functions->forward(stage, &none), 0);
}

} // namespace
} // namespace plumbline::stages::testing
