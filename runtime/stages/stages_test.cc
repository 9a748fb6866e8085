// The bundled stages by name, and what they say of bad options.
#include "runtime/stages/stages.h"

#include "runtime/stage.h"

#include "gtest/gtest.h"

#include <string>

namespace plumbline::stages {
namespace {

// What create says; empty if it makes a stage.
std::string refusal(const char *name, const char *options, plumbline_stage_request request = {0, 2, -1, 1, nullptr}) {
  const plumbline_stage_functions *const functions = bundledStage(name);
  request.options = options;
  void *stage = nullptr;
  plumbline_stage_sizes sizes = {};
  char message[512] = {};
  const int failed = functions->create(&request, &stage, &sizes, message, sizeof message);
  if (failed == 0)
    functions->destroy(stage);
  EXPECT_EQ(failed != 0, message[0] != 0);
  return message;
}

TEST(BundledStages, AreFoundByName) {
  ASSERT_EQ(bundledStages().size(), 3U);
  for (const BundledStage &stage : bundledStages()) {
    const plumbline_stage_functions *const functions = bundledStage(stage.name);
    ASSERT_NE(functions, nullptr);
    EXPECT_STREQ(functions->name, stage.name);
    EXPECT_EQ(functions->interface_version, static_cast<std::uint32_t>(PLUMBLINE_STAGE_INTERFACE));
    EXPECT_NE(functions->create, nullptr);
    EXPECT_NE(functions->destroy, nullptr);
    EXPECT_NE(functions->initialize, nullptr);
    EXPECT_NE(functions->forward, nullptr);
    EXPECT_NE(functions->backward, nullptr);
    EXPECT_NE(functions->backward_input, nullptr);
    EXPECT_NE(functions->backward_weight, nullptr);
    EXPECT_NE(functions->optimizer_step, nullptr);
    EXPECT_EQ(refusal(stage.name, ""), "");
    EXPECT_EQ(refusal(stage.name, nullptr), "");
  }
  EXPECT_EQ(bundledStage("mpl"), nullptr);
}

TEST(BundledStages, DescribeTheirOptions) {
  const std::string text = describeBundledStages();
  EXPECT_NE(text.find("  mlp: language model"), std::string::npos) << text;
  EXPECT_NE(text.find("    width=64                  size of the vector of a token; a whole number from 1 to 65536\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("    optimizer=adam            adam, or plain gradient descent; one of adam, sgd\n"),
            std::string::npos)
      << text;
}

TEST(Options, AreReadStrictly) {
  EXPECT_EQ(refusal("transformer", "width=8,heads=2,layers=3,context=4,batch=1,vocabulary=2,element=bf16,"
                                   "optimizer=adam,weight_decay=0.25"),
            "");
  EXPECT_EQ(refusal("mlp", "widht=8"), "mlp: there is no option 'widht'; there are width, layers, context, batch, "
                                       "vocabulary, element, optimizer, weight_decay");
  EXPECT_EQ(refusal("mlp", "width"), "mlp: options are NAME=VALUE, with commas between them; got 'width'");
  EXPECT_EQ(refusal("mlp", "width=8,"), "mlp: option width is a whole number from 1 to 65536; got '8,'");
  EXPECT_EQ(refusal("mlp", "width=8,,batch=2"), "mlp: options are NAME=VALUE, with commas between them; got ''");
  EXPECT_EQ(refusal("mlp", "width=8,width=8"), "mlp: option width is given twice");
  EXPECT_EQ(refusal("mlp", "optimizer=adamw"), "mlp: option optimizer is one of adam, sgd; got 'adamw'");
  EXPECT_EQ(refusal("mlp", "weight_decay=2"), "mlp: option weight_decay is a number from 0 to 1; got '2'");
  for (const char *const bad : {"", "0", "-1", "+8", "8.0", "8 ", " 8", "0x8", "1e3", "65537", "nan", "inf",
                                "99999999999999999999999999999999999"})
    EXPECT_EQ(refusal("mlp", (std::string("width=") + bad).c_str()),
              "mlp: option width is a whole number from 1 to 65536; got '" + std::string(bad) + "'");
  for (const char *const bad : {".5", "5.", "1e-2", "-0", "0.5.5", "nan"})
    EXPECT_NE(refusal("mlp", (std::string("weight_decay=") + bad).c_str()), "") << bad;
}

TEST(Options, ThatDoNotGoTogetherAreRefused) {
  EXPECT_EQ(refusal("transformer", "width=10"), "transformer: option heads divides width; got heads=4 and width=10");
  EXPECT_EQ(refusal("mlp", "batch=65536,context=65536"),
            "mlp: option batch times option context is at most 16777216; got batch=65536 and context=65536");
  EXPECT_EQ(refusal("mlp", "optimizer=sgd,weight_decay=0.1"),
            "mlp: option weight_decay is of optimizer=adam; got optimizer=sgd");
  EXPECT_EQ(refusal("transformer", "batch=256,context=65536,width=65536,heads=1024,layers=1024,vocabulary=1048576"),
            "transformer: the options width, layers, context, batch and vocabulary ask for more than 64 TiB of stash "
            "in a stage");
}

TEST(Requests, ThatCannotBeAreRefused) {
  EXPECT_EQ(refusal("mlp", "", {2, 2, -1, 1, nullptr}), "mlp: there is no stage 2 of 2");
  EXPECT_EQ(refusal("mlp", "", {-1, 2, -1, 1, nullptr}), "mlp: there is no stage -1 of 2");
  EXPECT_EQ(refusal("mlp", "", {0, 0, -1, 1, nullptr}), "mlp: there is no stage 0 of 0");
  EXPECT_EQ(refusal("mlp", "", {0, 2, 3, 1, nullptr}), "mlp: these stages work in host memory; got device 3");
  EXPECT_EQ(refusal("synthetic", "", {2, 2, -1, 1, nullptr}), "synthetic: there is no stage 2 of 2");
  EXPECT_EQ(refusal("synthetic", "", {0, 2, 3, 1, nullptr}),
            "synthetic: these stages work in host memory; got device 3");
}

TEST(Synthetic, OptionsAreReadStrictly) {
  EXPECT_EQ(refusal("synthetic", "bytes=15"),
            "synthetic: option bytes is a whole number from 16 to 1099511627776; got '15'");
  EXPECT_EQ(refusal("synthetic", "forward_us=1.5"),
            "synthetic: option forward_us is a whole number from 0 to 1000000000; got '1.5'");
}

} // namespace
} // namespace plumbline::stages
