// Trains a small language model on the devices that there are, in the ways that the backend has, and holds the losses
// against a run on the host. For tools/gpu_check.
#pragma once

#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <string>

namespace plumbline::runtime::cuda {

// Options of the bundled transformer; a size that a device does not find too small.
inline constexpr const char *modelToCheck = "width=64,layers=1,context=32,batch=4,vocabulary=128,heads=4";

// Prints a table, a row for each way, as it goes. 0: all losses agree; 1: some do not, or a run failed; 2: there is no
// device.
int gpuCheck(llvm::raw_ostream &out, std::int64_t steps, const std::string &model = modelToCheck);

// Prints how many devices there are. 0, or 2 if there are none.
int listDevices(llvm::raw_ostream &out);

} // namespace plumbline::runtime::cuda
