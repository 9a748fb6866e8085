// plumbline_run_mpi: schedules over MPI, a process for each rank.
#include "runtime/cli/run.h"
#include "runtime/mpi/mpi_backend.h"
#include "runtime/stages/stages.h"

#include <mpi.h>

#include <cstdio>
#include <vector>

using namespace plumbline;
using namespace plumbline::runtime;

namespace {

const BackendKind overMpi = {
    .name = "mpi",
    .behaviours = [](const model::Options &options) { return std::vector<model::Options>{options}; },
    .refuse = mpi::whyNotOverMpi,
    .bundledStage = stages::bundledStage,
    .describeStages = stages::describeBundledStages,
    .device = -1,
    .make =
        [](const BackendRequest &request) {
          return mpi::makeMpiBackend(*request.program, request.options, *request.run, *request.data, request.check);
        },
    .allReady =
        [](bool ready, std::uint64_t plan) {
          int size = 1;
          MPI_Comm_size(MPI_COMM_WORLD, &size);
          const std::uint64_t own[2] = {ready ? 1U : 0U, plan};
          std::vector<std::uint64_t> all(2 * static_cast<std::size_t>(size));
          MPI_Allgather(own, 2, MPI_UINT64_T, all.data(), 2, MPI_UINT64_T, MPI_COMM_WORLD);
          return whyNotTogether(all);
        },
};

} // namespace

int main(int argc, char **argv) {
  int provided = 0;
  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS || provided < MPI_THREAD_FUNNELED) {
    std::fputs("plumbline run: MPI cannot be used from a process with threads\n", stderr);
    return 2;
  }
  int code = runCommand(argc, argv, overMpi);
  // Others may be waiting for what this process will not do any more.
  if (code == 1)
    MPI_Abort(MPI_COMM_WORLD, code);
  MPI_Finalize();
  return code;
}
