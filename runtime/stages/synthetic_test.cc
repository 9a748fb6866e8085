#include "runtime/stages/testing/pipeline.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace plumbline::stages::testing {
namespace {

constexpr const char *quick = "forward_us=0,backward_input_us=0,backward_weight_us=0,bytes=64,stash_bytes=64";

double microseconds(const std::function<void()> &work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

// The shortest of many tries, until one is short enough: whatever else the machine does only makes them longer.
double leastMicroseconds(double enough, const std::function<void()> &work) {
  double least = microseconds(work);
  for (int attempt = 0; attempt < 500 && least > enough; ++attempt)
    least = std::min(least, microseconds(work));
  return least;
}

void expectTime(double wanted, const std::function<void()> &work) {
  const double got = leastMicroseconds(wanted * 1.005, work);
  EXPECT_GE(got, wanted); // never shorter
  EXPECT_LT(got, wanted * 1.01);
}

TEST(Synthetic, TakesTheTimeThatItIsTold) {
  Pipeline pipeline("synthetic", "forward_us=3000,backward_input_us=2000,backward_weight_us=1000,update_us=4000", 1, 1);
  expectTime(3000, [&] { pipeline.forward(0); });
  expectTime(3000, [&] { pipeline.backward(0, 1, Backward::whole); });
  expectTime(3000, [&] { pipeline.backward(0, 1, Backward::halves); });
  expectTime(4000, [&] { pipeline.update(0); });

  Pipeline whole("synthetic", "forward_us=0,backward_us=5000", 1, 1);
  expectTime(5000, [&] { whole.backward(0, 1, Backward::whole); });
}

TEST(Synthetic, TakesNoTimeIfToldSo) {
  Pipeline pipeline("synthetic", quick, 1, 1);
  EXPECT_LT(leastMicroseconds(5, [&] { pipeline.forward(0); }), 50);
}

TEST(Synthetic, ManyRanksOverlap) {
  constexpr int ranks = 16;
  std::vector<std::unique_ptr<Pipeline>> pipelines(ranks);
  for (std::unique_ptr<Pipeline> &pipeline : pipelines)
    pipeline = std::make_unique<Pipeline>("synthetic", "forward_us=50000", 1, 1);
  const double time = microseconds([&] {
    std::vector<std::thread> threads;
    threads.reserve(ranks);
    for (const std::unique_ptr<Pipeline> &pipeline : pipelines)
      threads.emplace_back([&] { pipeline->forward(0); });
    for (std::thread &thread : threads)
      thread.join();
  });
  EXPECT_LT(time, ranks * 50000 / 2); // one after the other they would take twice that
}

// One step; what it leaves behind, losses first.
std::vector<std::byte> step(Pipeline &pipeline, Backward way) {
  std::vector<std::byte> all;
  for (const std::int32_t microbatch : {0, 1, 2}) {
    pipeline.forward(microbatch);
    const llvm::ArrayRef<std::byte> loss = pipeline.output(pipeline.stages() - 1, microbatch).bytes();
    all.insert(all.end(), loss.begin(), loss.end());
  }
  for (const std::int32_t microbatch : {0, 1, 2})
    pipeline.backward(microbatch, 1, way);
  const std::vector<std::byte> state = pipeline.state();
  all.insert(all.end(), state.begin(), state.end());
  EXPECT_TRUE(pipeline.intact());
  return all;
}

TEST(Synthetic, GivesTheSameBitsHoweverAStepIsCutUp) {
  Pipeline whole("synthetic", quick, 3, 3, 0xff);
  Pipeline halves("synthetic", quick, 3, 3, 0x3c);
  EXPECT_EQ(step(whole, Backward::whole), step(halves, Backward::halves));
}

TEST(Synthetic, SumsDoNotDependOnTheOrderOfMicrobatches) {
  Pipeline forth("synthetic", quick, 3, 3);
  Pipeline back("synthetic", quick, 3, 3);
  for (const std::int32_t microbatch : {0, 1, 2}) {
    forth.forward(microbatch);
    forth.backward(microbatch, 1, Backward::whole);
    back.forward(2 - microbatch);
    back.backward(2 - microbatch, 1, Backward::whole);
  }
  EXPECT_EQ(forth.state(), back.state());
}

TEST(Synthetic, ShowsWhatWentWrong) {
  Pipeline right("synthetic", quick, 3, 3);
  const std::vector<std::byte> wanted = step(right, Backward::halves);

  Pipeline flipped("synthetic", quick, 3, 3);
  const float loss = flipped.forward(1);
  flipped.output(0, 1).as<std::uint8_t>()[3] ^= 1; // the first stage's message, on its way
  flipped.forwardStage(1, 1);
  flipped.forwardStage(2, 1);
  EXPECT_NE(flipped.output(2, 1).as<float>()[0], loss);

  Pipeline cut("synthetic", quick, 3, 3);
  cut.forward(1);
  cut.output(0, 1).as<std::uint8_t>().back() ^= 1; // its end
  cut.forwardStage(1, 1);
  cut.forwardStage(2, 1);
  EXPECT_NE(cut.output(2, 1).as<float>()[0], loss);

  Pipeline otherData("synthetic", quick, 3, 3);
  otherData.setInputByte(0, 63, 1);
  EXPECT_NE(step(otherData, Backward::halves), wanted);

  Pipeline otherWeights("synthetic", quick, 3, 3); // as if a pass used an old version
  otherWeights.forward(0);
  otherWeights.backward(0, 1, Backward::whole);
  otherWeights.update(0.1F);
  EXPECT_NE(otherWeights.forward(1), loss);
}

TEST(Synthetic, LossesOfMicrobatchesDiffer) {
  Pipeline pipeline("synthetic", quick, 2, 3);
  EXPECT_NE(pipeline.forward(0), pipeline.forward(1));
  EXPECT_GE(pipeline.forward(2), 0);
  EXPECT_LT(pipeline.forward(2), 1);
}

} // namespace
} // namespace plumbline::stages::testing
