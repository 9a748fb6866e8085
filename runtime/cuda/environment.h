// What CUDA and NCCL read from the environment when they start.
#pragma once

namespace plumbline::runtime::cuda {

// Sets what running a verified Program needs, where the user has not set it. Before anything calls CUDA or NCCL, and
// before there are other threads.
// - CUDA_DEVICE_MAX_CONNECTIONS=32 (CUDA programming guide, "Environment Variables"): the most hardware queues there
//   are, so that queues of a rank are independent.
// - CUDA_MODULE_LOADING=EAGER (same guide, "Lazy Loading", "Concurrent Execution"): kernels are loaded now, and not in
//   the middle of a step, where that may wait for a kernel of NCCL that waits for another rank.
// - NCCL_RUNTIME_CONNECT=0 (NCCL user guide, "Environment Variables"): collectives connect when their communicator is
//   made, whichever algorithm will be chosen later.
void setEnvironment();

} // namespace plumbline::runtime::cuda
