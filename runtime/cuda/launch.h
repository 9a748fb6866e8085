// Which process this is, of how many: from the environment that launchers set.
#pragma once

#include "verifier/ir/diagnostic.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <string>

namespace plumbline::runtime::cuda {

struct Launch {
  std::int32_t rank = 0;
  std::int32_t size = 1;
  std::int32_t localRank = 0;     // among those on the same machine; chooses its first device
  std::string address;            // where rank 0 is reached, if there are several
  std::uint16_t port = 0;         // at which it waits for them
  const char *launcher = nullptr; // whose environment it was; null: nobody's
};

// Reads, in this order, what torchrun, Open MPI's mpirun and Slurm's srun set: RANK, WORLD_SIZE, LOCAL_RANK,
// MASTER_ADDR, MASTER_PORT (PyTorch's "Elastic Launch" page); OMPI_COMM_WORLD_RANK, _SIZE, _LOCAL_RANK, _LOCAL_SIZE
// (mpirun's manual page); SLURM_PROCID, SLURM_STEP_NUM_TASKS, SLURM_LOCALID, SLURM_STEP_NODELIST or SLURM_JOB_NODELIST,
// SLURM_JOB_ID (srun's manual page). PLUMBLINE_ADDRESS and PLUMBLINE_PORT say otherwise where rank 0 is reached.
// None of them: one process. `get` gives the value of a variable, or null. Errors name the variable.
Result<Launch> readLaunch(llvm::function_ref<const char *(const char *)> get);

} // namespace plumbline::runtime::cuda
