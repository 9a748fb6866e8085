// Gradients of one position in the pipeline, which replicas and data-parallel copies each have a share of: they have
// the same weights, and the batch is spread over them.
#pragma once

#include "runtime/rank/device.h"
#include "verifier/ir/program.h"

#include "llvm/ADT/ArrayRef.h"

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

namespace plumbline::runtime::cuda {

// Of all ranks of all copies: copy by copy, rank by rank.
using WorldRank = std::int32_t;

struct Share {
  StageId stage;
  WorldRank holder = 0;
};

// By position; the shares of each in the order in which they are added up: copy by copy, replica by replica. Empty if
// there are neither replicas nor copies.
std::vector<std::vector<Share>> sharesOfGradients(const Program &program, std::int32_t copies);

// Enqueues, on one device: the first share becomes the sum of all, in order.
std::string addUp(llvm::ArrayRef<DeviceMemory *> shares, cudaStream_t stream);
// Enqueues: the others become equal to the first.
std::string spread(llvm::ArrayRef<DeviceMemory *> shares, cudaStream_t stream);

} // namespace plumbline::runtime::cuda
