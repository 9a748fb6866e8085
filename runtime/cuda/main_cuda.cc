// plumbline_run_cuda: schedules on CUDA devices, those of this machine or, started by torchrun, mpirun or srun, of
// many.
#include "runtime/admission/admission.h"
#include "runtime/cli/run.h"
#include "runtime/cuda/cuda_backend.h"
#include "runtime/cuda/device_model.h"
#include "runtime/cuda/environment.h"
#include "runtime/cuda/stages.h"
#include "runtime/stages/stages.h"
#include "verifier/model/words.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <cstring>
#include <future>
#include <thread>

using namespace plumbline;
using namespace plumbline::runtime;
using namespace plumbline::runtime::cuda;

namespace {

std::vector<model::Options> behaviours(const model::Options &options) {
  return withAndWithoutRoom(optionsOnDevices(options));
}

std::string refuse(const model::Options &options) {
  if (const model::Options own = optionsOnDevices(options); !(own == options))
    return "on devices a program runs under " + model::describe(own) + ", not under " + model::describe(options) +
           ". Verify it under that";
  const Result<std::int32_t> devices = countDevices();
  return devices ? "" : devices.error().message;
}

// The processes of this run, which find each other once all have read their arguments.
class Processes {
public:
  explicit Processes(Launch launch) : launch_(std::move(launch)) {}

  std::string allReady(bool ready, std::uint64_t plan) {
    Result<std::unique_ptr<ProcessGroup>> group = form();
    if (!group)
      return group.error().message;
    group_ = std::move(*group);
    const std::uint64_t own[2] = {ready ? 1U : 0U, plan};
    std::vector<char> bytes(sizeof own);
    std::memcpy(bytes.data(), own, sizeof own);
    const Result<std::vector<std::vector<char>>> all = group_->exchange(bytes);
    if (!all)
      return all.error().message;
    std::vector<std::uint64_t> readyAndPlan(2 * all->size());
    for (std::size_t process = 0; process < all->size(); ++process)
      if ((*all)[process].size() == sizeof own)
        std::memcpy(&readyAndPlan[2 * process], (*all)[process].data(), sizeof own);
    return whyNotTogether(readyAndPlan);
  }

  Result<std::unique_ptr<Backend>> make(const BackendRequest &request) {
    if (request.check)
      return Diagnostic{"", 0, 0, "--check needs memory that the host can look into: use --backend host or mpi"};
    CudaSettings settings;
    settings.launch = launch_;
    settings.group = group_.get();
    settings.timing = true; // for the summary and the trace
    return makeCudaBackend(*request.program, request.options, *request.run, *request.data, settings);
  }

private:
  // Whoever waits for long should know for whom.
  Result<std::unique_ptr<ProcessGroup>> form() {
    const std::chrono::milliseconds patience = CudaSettings().patience;
    std::promise<void> formed;
    std::thread notice([this, done = formed.get_future()] {
      if (done.wait_for(std::chrono::seconds(5)) == std::future_status::timeout)
        llvm::errs() << "plumbline run: process " << launch_.rank << " of " << launch_.size
                     << (launch_.rank == 0 ? ", which the others find at port " : ", waiting for process 0 at ")
                     << (launch_.rank == 0 ? "" : launch_.address + ", port ") << launch_.port
                     << (launch_.rank == 0 ? ", waits for them" : "") << " (up to ten minutes)\n";
    });
    Result<std::unique_ptr<ProcessGroup>> group = ProcessGroup::form(launch_, patience);
    formed.set_value();
    notice.join();
    return group;
  }

  const Launch launch_;
  std::unique_ptr<ProcessGroup> group_;
};

} // namespace

int main(int argc, char **argv) {
  setEnvironment();
  Result<Launch> launch = readLaunch([](const char *name) -> const char * { return std::getenv(name); });
  if (!launch) {
    llvm::errs() << "plumbline run: " << launch.error().file << ": " << launch.error().message << '\n';
    return 2;
  }
  // The device that stages are first made for, to learn their sizes: one that this process has in any case.
  const Result<std::int32_t> devices = countDevices();
  const std::int32_t device = devices && launch->size > 1 && launch->localRank < *devices ? launch->localRank : 0;
  Processes processes(std::move(*launch));
  const BackendKind onDevices = {
      .name = "cuda",
      .behaviours = behaviours,
      .refuse = refuse,
      .bundledStage = [](llvm::StringRef name) { return cudaStage(name); },
      .describeStages = stages::describeBundledStages,
      .device = device,
      .make = [&](const BackendRequest &request) { return processes.make(request); },
      .allReady = [&](bool ready, std::uint64_t plan) { return processes.allReady(ready, plan); },
  };
  const int code = runCommand(argc, argv, onDevices);
  // Threads that hang in CUDA or NCCL after a failure must not keep the process.
  if (code == 1)
    std::_Exit(code);
  return code;
}
