#include "tests/bench/deepspeed_lists.h"

#include "gtest/gtest.h"

#include <fstream>
#include <sstream>

namespace plumbline::bench {
namespace {

std::string corpusFile(int stages, int microbatches) {
  std::ifstream in("tests/corpus/deepspeed/fixed/TrainSchedule_" + std::to_string(stages) + "stage_" +
                   std::to_string(microbatches) + "mb.txt");
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(DeepSpeedLists, EqualWhatDeepSpeedPrints) {
  for (const auto &[stages, microbatches] : {std::pair{2, 4}, {4, 2}, {4, 8}, {8, 32}}) {
    const std::string printed = corpusFile(stages, microbatches);
    ASSERT_FALSE(printed.empty());
    EXPECT_EQ(deepSpeedTrainSchedule(stages, microbatches), printed) << stages << " x " << microbatches;
  }
}

} // namespace
} // namespace plumbline::bench
