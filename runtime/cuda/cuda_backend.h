// The cuda backend: ranks on CUDA devices.
#pragma once

#include "runtime/backend/backend.h"
#include "runtime/cuda/launch.h"
#include "runtime/cuda/process_group.h"
#include "runtime/rank/rank_work.h"
#include "verifier/model/options.h"

#include <chrono>
#include <memory>
#include <vector>

namespace plumbline::runtime::cuda {

// How messages travel.
enum class Transport : std::uint8_t {
  automatic, // local if all ranks have the same device, else nccl
  local,     // copies within one device
  nccl,      // a device for each rank
};

struct CudaSettings {
  Launch launch;                     // which process this is, of how many
  ProcessGroup *group = nullptr;     // of these processes, which must outlive the backend; null: it forms one itself
  std::vector<std::int32_t> devices; // of the ranks here, in turn; empty: all that there are
  Transport transport = Transport::automatic;
  // A launch that waits for other ranks longer than that has lost them; and so long communicators may take to be made.
  std::chrono::milliseconds patience = std::chrono::minutes(10);
  // Gradients of copies and replicas are added up by reduce-scatter and all-gather in place of all-reduce.
  bool reduceScatter = false;
  // Spans are taken; costs two events an instruction.
  bool timing = false;
};

// How many devices there are. Error, for people: that there are none, and why; or that this build knows no CUDA.
Result<std::int32_t> countDevices();

// Runs the Program's ranks, times run.copies, spread evenly over the processes: process p has those numbered from
// p * (all / processes), copy by copy; a process has whole copies, or a part of one. `run` is planned for device 0,
// with stages of cudaStage(). Groups move and connections exist as in optionsOnDevices(); so what is verified for less
// than that is run too. Program, run and data must outlive the backend. After a step that failed or was stopped,
// communicators are gone, and so every later step fails.
//
// Errors: what the Program or the settings ask for that cannot be done; memory; no device; the stages' own messages; a
// process that does not come.
Result<std::unique_ptr<Backend>> makeCudaBackend(const Program &program, const model::Options &options,
                                                 const RunPlan &run, const DataSource &data,
                                                 const CudaSettings &settings);

} // namespace plumbline::runtime::cuda
