// Prints DeepSpeed's corrected TrainSchedule for any size, for benchmarks and tests that need large real input.
#pragma once

#include <cstdint>
#include <string>

namespace plumbline::bench {

// The instruction lists of all stages, as DeepSpeed prints them after its pull request 2862: 1F1B with
// max(2, min(stages - stage, microbatches)) buffers, where each step first sends what the last one made. Equal, byte
// for byte, to tests/corpus/deepspeed/fixed for its sizes (deepspeed_lists_test.cc). Stages >= 1, microbatches >= 1.
std::string deepSpeedTrainSchedule(std::int32_t stages, std::int32_t microbatches);

} // namespace plumbline::bench
