// Starts kernels. All of nvcc's work is behind this header.
#pragma once

#include "runtime/cuda/kernel_bodies.h"

#include <cuda_runtime_api.h>

namespace plumbline::runtime::cuda {

// Enqueues body(team, index) for every index below `count`, on the current device; for the bodies of PLUMBLINE_KERNELS.
// Nothing is enqueued for a count of 0.
template <typename Body> cudaError_t launch(cudaStream_t stream, const Body &body, std::int64_t count);

// Loads all kernels onto the current device now. CUDA does so at a kernel's first launch, and may then wait for all
// that is going on there ("Lazy Loading" in the CUDA programming guide, on concurrent execution): never, if that in
// turn waits for the kernel.
cudaError_t loadKernels();

} // namespace plumbline::runtime::cuda
