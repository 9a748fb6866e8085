#include "runtime/cuda/gpu_check.h"

#include "runtime/cuda/cuda_backend.h"
#include "runtime/cuda/stages.h"
#include "runtime/data/text_source.h"
#include "runtime/host/host_backend.h"
#include "runtime/stages/stages.h"
#include "schedules/library.h"
#include "verifier/lower/communicators.h"
#include "verifier/lower/lower.h"

#include "llvm/Support/Format.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace plumbline::runtime::cuda {
namespace {

constexpr const char *text =
    "A schedule says which rank does what and when. Whoever reads one sees that the first stage is never idle, and "
    "that the last one is never late; whether two of them wait for each other for ever is harder to see, and whether a "
    "buffer is written while somebody still reads it is not to be seen at all. So it is proved, and then it is run. ";
constexpr std::uint64_t seed = 1;
constexpr float rate = 0.003F;

struct Row {
  const char *family;
  std::int32_t ranks;
  std::int32_t copies;
  Transport transport;
  bool bf16;
  bool reduceScatter;
  double tolerance; // of a loss, relative
};

// In f32 sums are taken in another order than on the host; in bf16 a device's losses follow those of f32 from afar.
constexpr double close = 2e-3;
constexpr double afar = 0.1;

constexpr Row rows[] = {
    {"1f1b", 2, 1, Transport::local, false, false, close},
    {"zb_h1", 4, 1, Transport::local, false, false, close},
    {"interleaved_1f1b", 2, 1, Transport::local, false, false, close},
    {"1f1b", 2, 2, Transport::local, false, false, close},
    {"zb_v", 4, 1, Transport::local, true, false, afar},
    {"1f1b", 2, 1, Transport::nccl, false, false, close},
    {"dualpipe", 2, 1, Transport::nccl, false, false, close},
    {"1f1b", 1, 2, Transport::nccl, false, true, close},
    {"zb_h1", 4, 1, Transport::nccl, false, false, close},
    {"1f1b", 2, 2, Transport::nccl, false, false, close},
    {"zb_v", 4, 1, Transport::nccl, true, false, afar},
};

// The family's Program with two microbatches a rank, at least four.
Program programOf(const Row &row) {
  const schedules::Family &family = *schedules::findFamily(row.family);
  Sizes sizes;
  sizes.ranks = row.ranks;
  sizes.microbatches = std::max(2 * row.ranks, 4);
  const Result<schedules::Request> request = schedules::makeRequest(family, sizes, {});
  Result<Program> program = lower::lowerSchedule(schedules::generate(family, *request));
  lower::setCommunicators(*program, lower::Communicators::single);
  return std::move(*program);
}

struct Trained {
  std::vector<float> losses;
  double seconds = 0; // of all steps but the first, which warms up
  std::string wrong;
};

Trained train(Result<std::unique_ptr<Backend>> backend, std::int64_t steps) {
  Trained trained;
  if (!backend) {
    trained.wrong = backend.error().message;
    return trained;
  }
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  for (std::int64_t step = 0; step < steps; ++step) {
    const StepResult result = (*backend)->step({.step = step, .learningRate = rate});
    if (result.end != End::finished) {
      trained.wrong = result.failure.message + (result.stuck.empty() ? "" : result.stuck.front());
      return trained;
    }
    trained.losses.push_back(result.loss);
    if (step == 0)
      start = Clock::now();
  }
  trained.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return trained;
}

model::Options modelOf(const Program &program) {
  model::Options options;
  options.wait = program.waitsForGroups ? model::Wait::group : model::Wait::use;
  return options;
}

Trained onHost(const Program &program, const Row &row, const std::string &options, const DataSource &data,
               std::int64_t steps) {
  const Result<RunPlan> plan = planRun(program, {stages::bundledStage("transformer"), options, seed}, row.copies, -1);
  return train(makeHostBackend(program, modelOf(program), *plan, data, {}), steps);
}

Trained onDevices(const Program &program, const Row &row, const std::string &options, const DataSource &data,
                  std::int64_t steps) {
  const std::string own = options + (row.bf16 ? ",element=bf16" : "");
  const Result<RunPlan> plan = planRun(program, {cudaStage("transformer"), own, seed}, row.copies, 0);
  if (!plan)
    return {{}, 0, plan.error().message};
  CudaSettings settings;
  settings.transport = row.transport;
  settings.reduceScatter = row.reduceScatter;
  settings.patience = std::chrono::seconds(30);
  return train(makeCudaBackend(program, modelOf(program), *plan, data, settings), steps);
}

// Largest difference of two losses of one step, relative.
double differenceOf(const Trained &a, const Trained &b) {
  double most = 0;
  for (std::size_t k = 0; k < std::min(a.losses.size(), b.losses.size()); ++k) {
    const auto x = static_cast<double>(a.losses[k]), y = static_cast<double>(b.losses[k]);
    most = std::isfinite(x) ? std::max(most, std::fabs(x - y) / std::fabs(y)) : INFINITY;
  }
  return most;
}

void printHead(llvm::raw_ostream &out, const Row &row) {
  const char *const devices = row.transport == Transport::local ? "one, copy" : "nccl";
  const char *const type = row.bf16 ? "bf16" : "f32";
  out << llvm::format("%-17s %5d %6d  %-9s %-4s  ", row.family, row.ranks, row.copies, devices, type);
}

// True if the row's losses agree with the host's.
bool check(llvm::raw_ostream &out, const Row &row, const std::string &options, std::int64_t steps) {
  const Program program = programOf(row);
  const TextSource data(text, seed);
  const Trained host = onHost(program, row, options, data, steps);
  const Trained device = onDevices(program, row, options, data, steps);
  printHead(out, row);
  if (!device.wrong.empty() || !host.wrong.empty()) {
    out << "FAILED: " << (device.wrong.empty() ? host.wrong : device.wrong) << "\n";
    return false;
  }
  const double difference = differenceOf(device, host);
  const bool fine = difference <= row.tolerance && device.losses.back() < device.losses.front();
  out << llvm::format("%7.4f %7.4f %7.4f  %9.2e  %8.2f  ", static_cast<double>(device.losses.front()),
                      static_cast<double>(device.losses.back()), static_cast<double>(host.losses.back()), difference,
                      device.seconds * 1e3 / static_cast<double>(std::max<std::int64_t>(steps - 1, 1)))
      << (fine ? "agrees" : "DIFFERS") << "\n";
  return fine;
}

} // namespace

int listDevices(llvm::raw_ostream &out) {
  const Result<std::int32_t> devices = countDevices();
  if (!devices) {
    out << devices.error().message << "\n";
    return 2;
  }
  out << *devices << (*devices == 1 ? " device\n" : " devices\n");
  return 0;
}

int gpuCheck(llvm::raw_ostream &out, std::int64_t steps, const std::string &model) {
  if (const int none = listDevices(out); none != 0)
    return none;
  const std::int32_t devices = *countDevices();
  out << "a transformer on a line of text, " << steps << " steps; losses on the devices and on the host\n\n"
      << "schedule          ranks copies  devices   type    first    last    host  difference  ms/step\n";
  bool fine = true;
  for (const Row &row : rows) {
    if (row.transport == Transport::nccl && row.ranks * row.copies > devices) {
      printHead(out, row);
      out << "left out: needs " << row.ranks * row.copies << " devices\n";
      continue;
    }
    fine &= check(out, row, model, steps);
    out.flush();
  }
  return fine ? 0 : 1;
}

} // namespace plumbline::runtime::cuda
