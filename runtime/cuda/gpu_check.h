// Trains a small language model on the devices that there are, in the ways that the backend has, and holds the losses
// against a run on the host. For tools/gpu_check.
#pragma once

#include "llvm/Support/raw_ostream.h"

#include <cstdint>

namespace plumbline::runtime::cuda {

// Prints a table, a row for each way, as it goes. 0: all losses agree; 1: some do not, or a run failed; 2: there is no
// device.
int gpuCheck(llvm::raw_ostream &out, std::int64_t steps);

// Prints how many devices there are. 0, or 2 if there are none.
int listDevices(llvm::raw_ostream &out);

} // namespace plumbline::runtime::cuda
