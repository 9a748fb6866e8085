#include "runtime/cuda/device.h"

#include "runtime/cuda/check.h"

namespace plumbline::runtime::cuda {
namespace {

cudaStream_t streamOf(void *stream) { return static_cast<cudaStream_t>(stream); }

} // namespace

void CudaDevice::use() { keep(check(cudaSetDevice(number_), "cudaSetDevice")); }

void *CudaDevice::allocate(std::uint64_t bytes) {
  use();
  void *memory = nullptr;
  const cudaError_t result = cudaMalloc(&memory, bytes);
  if (result == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError(); // null says it all; else the next kernel would seem to have failed
    return nullptr;
  }
  keep(check(result, "cudaMalloc"));
  return memory;
}

// Whatever is on a stream may still use it. cudaFree waits for the device too, but is not documented to.
void CudaDevice::release(void *memory) {
  Calls calls;
  calls(cudaSetDevice(number_), "cudaSetDevice");
  calls(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  calls(cudaFree(memory), "cudaFree");
  tell(calls.wrong());
}

void CudaDevice::copy(void *to, const void *from, std::uint64_t bytes, void *stream) {
  Calls calls;
  if (calls(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, streamOf(stream)), "cudaMemcpyAsync") && !stream)
    calls(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
  keep(calls.wrong());
}

void CudaDevice::fill(void *memory, unsigned char byte, std::uint64_t bytes, void *stream) {
  Calls calls;
  if (calls(cudaMemsetAsync(memory, byte, bytes, streamOf(stream)), "cudaMemsetAsync") && !stream)
    calls(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
  keep(calls.wrong());
}

void CudaDevice::write(void *to, const void *hostFrom, std::uint64_t bytes, void *stream) {
  Calls calls;
  if (calls(cudaMemcpyAsync(to, hostFrom, bytes, cudaMemcpyHostToDevice, streamOf(stream)), "cudaMemcpyAsync"))
    calls(cudaStreamSynchronize(streamOf(stream)), "cudaStreamSynchronize");
  keep(calls.wrong());
}

void CudaDevice::read(void *hostTo, const void *from, std::uint64_t bytes, void *stream) {
  Calls calls;
  if (calls(cudaMemcpyAsync(hostTo, from, bytes, cudaMemcpyDeviceToHost, streamOf(stream)), "cudaMemcpyAsync"))
    calls(cudaStreamSynchronize(streamOf(stream)), "cudaStreamSynchronize");
  keep(calls.wrong());
}

const char *CudaDevice::failure() const {
  const std::scoped_lock lock(mutex_);
  return failure_.c_str();
}

void CudaDevice::keep(const std::string &wrong) {
  if (wrong.empty())
    return;
  const std::scoped_lock lock(mutex_);
  if (failure_.empty())
    failure_ = wrong;
}

} // namespace plumbline::runtime::cuda
