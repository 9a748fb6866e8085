// Kernels. What nvcc generates for the host registers every kernel under its mangled name, and the runtime starts it by
// the address of its stub, with pointers to its operands. Each kernel is one of two templates over a body, so its name
// holds that of the body; the stand-in finds the body by it, copies it as the runtime would copy the operands, and runs
// it index by index with a team of one thread.
#include "runtime/cuda/kernel_bodies.h"
#include "runtime/cuda/standin/state.h"
#include "runtime/cuda/standin/streams.h"

#include <cuda_runtime_api.h>
#include <cxxabi.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <typeinfo>

namespace plumbline::standin {
namespace {

using namespace runtime::cuda;

using Work = std::function<void()>;
using Capture = Work (*)(void **operands);

std::string demangled(const char *name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void *)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
  return text ? text.get() : name;
}

template <typename Body> Work capture(void **operands) {
  return [body = *static_cast<const Body *>(operands[0]), count = *static_cast<const std::int64_t *>(operands[1])] {
    for (std::int64_t i = 0; i < count; ++i)
      body(bodies::Alone(), i);
  };
}

const std::map<std::string, Capture> &twins() {
  static const std::map<std::string, Capture> all = {
#define PLUMBLINE_TWIN(...) {demangled(typeid(__VA_ARGS__).name()), capture<__VA_ARGS__>},
      PLUMBLINE_KERNELS(PLUMBLINE_TWIN)
#undef PLUMBLINE_TWIN
  };
  return all;
}

// From "void plumbline::runtime::cuda::eachByWarp<BODY>(BODY, long)".
std::string bodyIn(const std::string &kernel) {
  const std::size_t begin = kernel.find('<') + 1;
  int depth = 1;
  std::size_t end = begin;
  for (; end < kernel.size() && depth > 0; ++end)
    depth += kernel[end] == '<' ? 1 : kernel[end] == '>' ? -1 : 0;
  std::string body = kernel.substr(begin, end - 1 - begin);
  while (!body.empty() && body.back() == ' ')
    body.pop_back();
  return body;
}

// By the address of the host's stub; filled before main.
std::map<const void *, Capture> &registered() {
  static auto *const all = new std::map<const void *, Capture>();
  return *all;
}

} // namespace
} // namespace plumbline::standin

using namespace plumbline::standin;

extern "C" {

// The names are nvcc's (crt/host_runtime.h).
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wreserved-identifier"
#endif
// NOLINTBEGIN(readability-identifier-naming)
void **__cudaRegisterFatBinary(void *) {
  static void *handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **) {}

void __cudaRegisterFunction(void **, const char *stub, char *, const char *name, int, uint3 *, uint3 *, dim3 *, dim3 *,
                            int *) {
  const auto twin = twins().find(bodyIn(demangled(name)));
  if (twin == twins().end()) {
    std::fprintf(stderr, "stand-in: no body for the kernel %s\n", demangled(name).c_str());
    std::abort();
  }
  registered()[stub] = twin->second;
}

// What <<<>>> would be made of; the backend does without it, and nvcc's stubs name these all the same.
cudaError_t __cudaPopCallConfiguration(dim3 *, dim3 *, std::size_t *, void *) { std::abort(); }
cudaError_t __cudaGetKernel(cudaKernel_t *, const void *) { std::abort(); }
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void **, std::size_t, cudaStream_t) { std::abort(); }
// NOLINTEND(readability-identifier-naming)
#ifdef __clang__
#pragma clang diagnostic pop
#endif

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *stub) {
  if (const auto failure = ordered("cudaFuncGetAttributes"))
    return static_cast<cudaError_t>(lastError() = *failure);
  *attributes = {};
  return registered().count(stub) > 0 ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

cudaError_t cudaLaunchKernel(const void *stub, dim3, dim3, void **operands, std::size_t, cudaStream_t stream) {
  if (const auto failure = ordered("cudaLaunchKernel"))
    return static_cast<cudaError_t>(lastError() = *failure);
  queueOf(stream).enqueueKernel(registered().at(stub)(operands));
  return cudaSuccess;
}

} // extern "C"
