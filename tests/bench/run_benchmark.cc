// What the host backend itself costs: steps of the synthetic stage without duration, on as many ranks as there are
// cores, and more.
//
//   bazel run -c opt //tests/bench:run
#include "runtime/data/text_source.h"
#include "runtime/host/host_backend.h"
#include "runtime/stages/stages.h"
#include "schedules/library.h"
#include "tests/runtime/programs.h"

#include "benchmark/benchmark.h"

#include <thread>

namespace plumbline::runtime {
namespace {

// Step time for each instruction of a rank, whatever the ranks do at the same time.
void BM_Step(benchmark::State &state, const char *family, bool check) {
  const auto ranks = static_cast<std::int32_t>(state.range(0));
  const std::optional<testing::Sized> sized =
      testing::programOf(*schedules::findFamily(family), ranks, static_cast<std::int32_t>(state.range(1)));
  const TextSource data("x", 1);
  Result<RunPlan> run = planRun(sized->program,
                                {stages::bundledStage("synthetic"),
                                 "forward_us=0,backward_us=0,backward_input_us=0,backward_weight_us=0,bytes=64", 1},
                                1, -1);
  HostSettings settings;
  settings.check = check;
  if (static_cast<unsigned>(ranks) <= std::thread::hardware_concurrency())
    settings.spin = std::chrono::microseconds(20);
  Result<std::unique_ptr<Backend>> backend = makeHostBackend(sized->program, sized->options, *run, data, settings);
  (void)(*backend)->step({.step = 0, .learningRate = 0});
  for (auto _ : state)
    if ((*backend)->step({.step = 1, .learningRate = 0}).end != End::finished)
      state.SkipWithError("the step did not finish");
  const auto instructions = static_cast<double>(sized->program.instructions.size());
  state.counters["instructions"] = instructions;
  state.counters["us_per_instruction_of_a_rank"] = benchmark::Counter(
      instructions / ranks * 1e-6, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

BENCHMARK_CAPTURE(BM_Step, one_f_one_b, "1f1b", false)
    ->ArgsProduct({{1, 2, 4, 8}, {256}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_Step, zero_bubble_v, "zb_v", false)
    ->ArgsProduct({{1, 2}, {256}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_Step, checked, "1f1b", true)->Args({2, 256})->Unit(benchmark::kMillisecond)->UseRealTime();

} // namespace
} // namespace plumbline::runtime
