#include "runtime/cuda/timing.h"

namespace plumbline::runtime::cuda {

std::unique_ptr<Timing> Timing::make(const Plan &plan, std::int32_t rank, Calls &calls) {
  auto timing = std::make_unique<Timing>();
  const IndexRange range = plan.program->ranks[static_cast<std::size_t>(rank)].instructions;
  timing->first_ = range.first;
  timing->start_ = makeEvent(calls, true);
  for (std::uint32_t i = 0; i < range.count; ++i) {
    Event begin = makeEvent(calls, true);
    timing->pairs_.push_back({std::move(begin), makeEvent(calls, true)});
  }
  return timing;
}

std::string Timing::start(cudaStream_t stream, Clock::time_point origin) {
  Calls calls;
  calls.keep(record(start_, stream));
  // Else what is on another stream might begin earlier.
  calls(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  startsAt_ = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - origin).count();
  return calls.wrong();
}

std::string Timing::collect(std::vector<Span> &spans) {
  Calls calls;
  const auto at = [&](const Event &event) {
    float milliseconds = 0;
    calls(cudaEventElapsedTime(&milliseconds, start_.get(), event.get()), "cudaEventElapsedTime");
    return startsAt_ + static_cast<std::int64_t>(static_cast<double>(milliseconds) * 1e6);
  };
  for (std::size_t i = 0; i < pairs_.size(); ++i)
    spans[first_ + i] = {at(pairs_[i].begin), at(pairs_[i].end)};
  return calls.wrong();
}

} // namespace plumbline::runtime::cuda
