// Looks at the result of every call into CUDA, cuBLAS and NCCL.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <string>

namespace plumbline::runtime::cuda {

// "cudaMalloc failed: out of memory (cudaErrorMemoryAllocation) [runtime/cuda/device.cc:30]"; empty for success. The
// place is the caller's; source_location would do it, but for Clang 14.
std::string check(cudaError_t result, const char *call, const char *file = __builtin_FILE(),
                  int line = __builtin_LINE());
std::string check(cublasStatus_t result, const char *call, const char *file = __builtin_FILE(),
                  int line = __builtin_LINE());
// ncclInProgress, which communicators that do not block give, is no failure.
std::string check(ncclResult_t result, const char *call, const char *file = __builtin_FILE(),
                  int line = __builtin_LINE());

// Several calls, of which the first failure is kept:
//
//     Calls calls;
//     if (calls(cudaSetDevice(n), "cudaSetDevice"))
//       calls(cudaFree(memory), "cudaFree");
//     return calls.wrong();
class Calls {
public:
  // True if the call succeeded.
  template <typename Result>
  bool operator()(Result result, const char *call, const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
    return keep(check(result, call, file, line));
  }
  bool keep(std::string wrong) {
    const bool fine = wrong.empty();
    if (!fine && wrong_.empty())
      wrong_ = std::move(wrong);
    return fine;
  }
  [[nodiscard]] const std::string &wrong() const { return wrong_; }

private:
  std::string wrong_;
};

// Where a failure has nobody to go to any more, as in a destructor: prints it.
void tell(const std::string &wrong);

} // namespace plumbline::runtime::cuda
