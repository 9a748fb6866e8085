// When the instructions of a rank ran on its device.
#pragma once

#include "runtime/backend/backend.h"
#include "runtime/cuda/handles.h"
#include "runtime/plan/plan.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace plumbline::runtime::cuda {

// Two events an instruction, around its work on its stream. A message's span begins when its stream comes to it, and
// with it that of its launch.
class Timing {
public:
  using Clock = std::chrono::steady_clock;

  // On the current device.
  static std::unique_ptr<Timing> make(const Plan &plan, std::int32_t rank, Calls &calls);

  // At the start of a step, while the rank's streams are idle; `origin` is what spans are counted from.
  std::string start(cudaStream_t stream, Clock::time_point origin);
  std::string begins(InstructionIndex i, cudaStream_t stream) { return record(pairs_[i - first_].begin, stream); }
  std::string ends(InstructionIndex i, cudaStream_t stream) { return record(pairs_[i - first_].end, stream); }
  // When the streams are idle again: sets the spans of the rank's instructions, by instruction.
  std::string collect(std::vector<Span> &spans);

private:
  struct Pair {
    Event begin, end;
  };
  static std::string record(const Event &event, cudaStream_t stream) {
    return check(cudaEventRecord(event.get(), stream), "cudaEventRecord");
  }

  InstructionIndex first_ = 0;
  Event start_;
  std::int64_t startsAt_ = 0; // nanoseconds after the origin
  std::vector<Pair> pairs_;
};

} // namespace plumbline::runtime::cuda
