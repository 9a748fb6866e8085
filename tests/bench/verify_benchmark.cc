// Whole verification of DeepSpeed's 1F1B under the blocking model: text in, verdict out. Run with
//   bazel run -c opt //tests/bench:verify
// Numbers measured so far stand in docs/performance.md.
#include "schedules/library.h"
#include "verifier/cli/generate.h"
#include "verifier/cli/judge.h"
#include "verifier/model/event_graph.h"
#include "verifier/model/order.h"

#include "benchmark/benchmark.h"

#include <fstream>
#include <thread>

namespace plumbline::bench {
namespace {

// Peak resident memory since the last reset, in bytes (Linux: proc(5), VmHWM and clear_refs).
void resetPeakMemory() { std::ofstream("/proc/self/clear_refs") << 5; }
double peakMemory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:") {
      double kibibytes = 0;
      status >> kibibytes;
      return kibibytes * 1024;
    }
  return 0;
}

// DeepSpeed's lists of that size; empty if they cannot be made.
std::string deepSpeedLists(const benchmark::State &state) {
  cli::GenerateSettings settings;
  settings.sizes.stages = state.range(0);
  settings.sizes.microbatches = state.range(1);
  settings.emit = cli::Emit::deepspeed;
  const Result<std::string> text = cli::generateText(*schedules::findFamily("deepspeed_train"), settings);
  return text ? *text : "";
}

void verifyDeepSpeed(benchmark::State &state) {
  const std::string text = deepSpeedLists(state);
  cli::Settings settings;
  settings.jobs = std::max(1U, std::thread::hardware_concurrency());
  resetPeakMemory();
  double instructions = 0, solver = 0, wall = 0;
  for (auto _ : state) {
    const report::Report report = cli::judgeText("1f1b.txt", text, settings);
    if (report::verdictOf(report) != "verified")
      state.SkipWithError("not verified");
    instructions += static_cast<double>(report.program.instructions.size());
    solver += report.verification.solver.seconds;
    wall += report.seconds.value_or(0);
    state.counters["queries"] = static_cast<double>(report.verification.solver.queries);
    state.counters["reused"] = static_cast<double>(report.verification.solver.reused);
  }
  const auto runs = static_cast<double>(state.iterations());
  state.counters["instructions"] = instructions / runs;
  state.counters["instr/s"] = instructions / wall;
  state.counters["ns/instr"] = 1e9 * wall / instructions;
  state.counters["peak_MB"] = peakMemory() / 1e6;
  state.counters["z3_share"] = solver / wall; // of one core; above 1 when several threads ask
}
BENCHMARK(verifyDeepSpeed)
    ->ArgNames({"stages", "microbatches"})
    ->Args({8, 64})
    ->Args({16, 256})
    ->Args({32, 512})
    ->Args({64, 1024})
    ->Args({64, 1361})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

// The same question in one query, as a plain use of Z3 would ask it.
void plainSingleQuery(benchmark::State &state) {
  cli::Settings settings;
  report::Report report;
  report = cli::judgeText("1f1b.txt", deepSpeedLists(state), settings);
  const model::EventGraph graph = model::buildEventGraph(report.program, report.model);
  std::vector<smt::Constraint> constraints;
  for (const model::Edge &edge : graph.edges)
    constraints.push_back({edge.from, edge.to, edge.strict});
  for (auto _ : state) {
    smt::DifferenceSolver solver{smt::Budget()};
    if (solver.satisfiable(graph.eventCount(), constraints) != smt::Answer::yes)
      state.SkipWithError("not satisfiable");
  }
  state.counters["instructions"] = static_cast<double>(report.program.instructions.size());
}
BENCHMARK(plainSingleQuery)
    ->ArgNames({"stages", "microbatches"})
    ->Args({16, 128})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

// The windowed question at the size of the plain one, for comparison.
BENCHMARK(verifyDeepSpeed)
    ->Name("verifyDeepSpeedSameSize")
    ->Args({16, 128})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

} // namespace
} // namespace plumbline::bench

BENCHMARK_MAIN();
