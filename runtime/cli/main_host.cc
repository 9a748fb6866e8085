// plumbline_run: schedules on the threads of this machine.
#include "runtime/cli/run.h"
#include "runtime/host/host_backend.h"
#include "runtime/stages/stages.h"

#include <cstdlib>
#include <thread>

using namespace plumbline;
using namespace plumbline::runtime;

namespace {

Result<std::unique_ptr<Backend>> make(const BackendRequest &request) {
  HostSettings settings;
  settings.check = request.check;
  // Looking out costs nothing where every rank has a core of its own, and spares the sleep.
  if (static_cast<unsigned>(request.program->rankCount() * request.run->copies) <= std::thread::hardware_concurrency())
    settings.spin = std::chrono::microseconds(20);
  return makeHostBackend(*request.program, request.options, *request.run, *request.data, settings);
}

// mpirun starts as many of these as it was told, and each would train by itself.
std::string refuse(const model::Options &) {
  const char *const processes = std::getenv("OMPI_COMM_WORLD_SIZE");
  if (!processes || std::string(processes) == "1")
    return "";
  return "mpirun started " + std::string(processes) +
         " processes, and each would train by itself; --backend mpi makes them the ranks of one run";
}

const BackendKind host = {
    .name = "host",
    .behaviours = [](const model::Options &options) { return std::vector<model::Options>{options}; },
    .refuse = refuse,
    .bundledStage = stages::bundledStage,
    .describeStages = stages::describeBundledStages,
    .device = -1,
    .make = make,
};

} // namespace

int main(int argc, char **argv) { return runCommand(argc, argv, host); }
