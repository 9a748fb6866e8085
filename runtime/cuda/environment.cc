#include "runtime/cuda/environment.h"

#include <cstdlib>

namespace plumbline::runtime::cuda {

void setEnvironment() {
  constexpr int keepTheUsers = 0;
  (void)setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", keepTheUsers);
  (void)setenv("CUDA_MODULE_LOADING", "EAGER", keepTheUsers);
  (void)setenv("NCCL_RUNTIME_CONNECT", "0", keepTheUsers);
}

} // namespace plumbline::runtime::cuda
