// plumbline_run: schedules on the threads of this machine.
#include "runtime/cli/run.h"
#include "runtime/host/host_backend.h"
#include "runtime/stages/stages.h"

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

const BackendKind host = {
    .name = "host",
    .behaviours = [](const model::Options &options) { return std::vector<model::Options>{options}; },
    .refuse = [](const model::Options &) { return std::string(); },
    .bundledStage = stages::bundledStage,
    .describeStages = stages::describeBundledStages,
    .device = -1,
    .make = make,
};

} // namespace

int main(int argc, char **argv) { return runCommand(argc, argv, host); }
