#include "runtime/cuda/check.h"

#include <cstdio>
#include <cstring>

namespace plumbline::runtime::cuda {
namespace {

std::string message(const char *call, const std::string &text, const char *name, const char *file, int line) {
  // From the repository's root, however the compiler was called.
  const char *place = std::strstr(file, "runtime/cuda/");
  return std::string(call) + " failed: " + text + (name ? std::string(" (") + name + ")" : "") + " [" +
         (place ? place : file) + ":" + std::to_string(line) + "]";
}

} // namespace

std::string check(cudaError_t result, const char *call, const char *file, int line) {
  if (result == cudaSuccess)
    return "";
  return message(call, cudaGetErrorString(result), cudaGetErrorName(result), file, line);
}

std::string check(cublasStatus_t result, const char *call, const char *file, int line) {
  if (result == CUBLAS_STATUS_SUCCESS)
    return "";
  return message(call, cublasGetStatusString(result), cublasGetStatusName(result), file, line);
}

std::string check(ncclResult_t result, const char *call, const char *file, int line) {
  if (result == ncclSuccess || result == ncclInProgress)
    return "";
  const char *last = ncclGetLastError(nullptr); // often says more; the communicator plays no part
  std::string text = ncclGetErrorString(result);
  if (last && last[0] != 0)
    text += std::string(", ") + last;
  return message(call, text, nullptr, file, line);
}

void tell(const std::string &wrong) {
  if (!wrong.empty())
    std::fprintf(stderr, "plumbline: %s\n", wrong.c_str());
}

} // namespace plumbline::runtime::cuda
