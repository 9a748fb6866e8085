// Starts kernels. All of nvcc's work is behind this header.
#pragma once

#include "runtime/cuda/kernel_bodies.h"

#include <cuda_runtime_api.h>

namespace plumbline::runtime::cuda {

// Enqueues body(team, index) for every index below `count`, on the current device; for the bodies of PLUMBLINE_KERNELS.
// Nothing is enqueued for a count of 0.
template <typename Body> cudaError_t launch(cudaStream_t stream, const Body &body, std::int64_t count);

} // namespace plumbline::runtime::cuda
