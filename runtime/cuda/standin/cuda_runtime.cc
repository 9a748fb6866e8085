// The entry points of libcudart that the backend uses; semantics from the CUDA Runtime API's documentation.
#include "runtime/cuda/standin/state.h"
#include "runtime/cuda/standin/streams.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace plumbline::standin {
namespace {

cudaError_t remember(cudaError_t error) {
  if (error != cudaSuccess)
    lastError() = error;
  return error;
}

} // namespace
} // namespace plumbline::standin

using namespace plumbline::standin;

// As STANDIN_CALL, and kept for cudaGetLastError.
#define CUDA_CALL(name)                                                                                                \
  if (const auto failure = ordered(name))                                                                              \
  return remember(static_cast<cudaError_t>(*failure))

extern "C" {

cudaError_t cudaGetDeviceCount(int *count) {
  CUDA_CALL("cudaGetDeviceCount");
  *count = settings().devices;
  return *count > 0 ? cudaSuccess : remember(cudaErrorNoDevice);
}

cudaError_t cudaSetDevice(int device) {
  CUDA_CALL("cudaSetDevice");
  if (device < 0 || device >= settings().devices)
    return remember(cudaErrorInvalidDevice);
  currentDevice() = device;
  return cudaSuccess;
}

cudaError_t cudaGetLastError() { return static_cast<cudaError_t>(std::exchange(lastError(), cudaSuccess)); }

const char *cudaGetErrorName(cudaError_t error) {
  switch (error) {
  case cudaSuccess:
    return "cudaSuccess";
  case cudaErrorMemoryAllocation:
    return "cudaErrorMemoryAllocation";
  case cudaErrorInvalidDevice:
    return "cudaErrorInvalidDevice";
  case cudaErrorInsufficientDriver:
    return "cudaErrorInsufficientDriver";
  case cudaErrorIllegalAddress:
    return "cudaErrorIllegalAddress";
  default:
    return "cudaErrorUnknown";
  }
}

const char *cudaGetErrorString(cudaError_t error) {
  switch (error) {
  case cudaSuccess:
    return "no error";
  case cudaErrorMemoryAllocation:
    return "out of memory";
  case cudaErrorInvalidDevice:
    return "invalid device ordinal";
  case cudaErrorInsufficientDriver:
    return "CUDA driver version is insufficient for CUDA runtime version";
  case cudaErrorIllegalAddress:
    return "an illegal memory access was encountered";
  case cudaErrorNoDevice:
    return "no CUDA-capable device is detected";
  default:
    return "unknown error";
  }
}

cudaError_t cudaMalloc(void **memory, std::size_t bytes) {
  CUDA_CALL("cudaMalloc");
  constexpr std::size_t alignment = 256;
  *memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (!*memory)
    return remember(cudaErrorMemoryAllocation);
  std::memset(*memory, 0xff, std::min(bytes, std::size_t(1) << 20U)); // as a float not a number
  ++state().allocations;
  return cudaSuccess;
}

cudaError_t cudaFree(void *memory) {
  waitForAll(currentDevice()); // as the real one does, and so it never returns while a kernel of NCCL hangs
  CUDA_CALL("cudaFree");
  if (memory)
    --state().allocations;
  std::free(memory);
  return cudaSuccess;
}

cudaError_t cudaMallocHost(void **memory, std::size_t bytes) {
  CUDA_CALL("cudaMallocHost");
  *memory = std::malloc(bytes);
  if (!*memory)
    return remember(cudaErrorMemoryAllocation);
  ++state().pinned;
  return cudaSuccess;
}

cudaError_t cudaFreeHost(void *memory) {
  CUDA_CALL("cudaFreeHost");
  if (memory)
    --state().pinned;
  std::free(memory);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, std::size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
  CUDA_CALL("cudaMemcpyAsync");
  queueOf(stream).enqueue([=] { std::memcpy(to, from, bytes); });
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *memory, int value, std::size_t bytes, cudaStream_t stream) {
  CUDA_CALL("cudaMemsetAsync");
  queueOf(stream).enqueue([=] { std::memset(memory, value, bytes); });
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned) {
  CUDA_CALL("cudaStreamCreateWithFlags");
  *stream = new CUstream_st(currentDevice());
  ++state().streams;
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  CUDA_CALL("cudaStreamDestroy");
  delete stream;
  --state().streams;
  return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  CUDA_CALL("cudaStreamQuery");
  return queueOf(stream).idle() ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  queueOf(stream).mark()->wait(); // also if it is to fail: nothing is going on then on a real device
  CUDA_CALL("cudaStreamSynchronize");
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  waitForAll(currentDevice()); // as in cudaStreamSynchronize
  CUDA_CALL("cudaDeviceSynchronize");
  return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  CUDA_CALL("cudaStreamWaitEvent");
  // For what was recorded last before this call; if nothing was, there is nothing to wait for.
  const std::scoped_lock lock(event->mutex);
  const Settings now = settings();
  if (state().waits++ != now.ignoredWait && !now.ignoresWaits && event->recorded)
    queueOf(stream).enqueue([signal = event->recorded] { signal->wait(); });
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
  CUDA_CALL("cudaEventCreateWithFlags");
  *event = new CUevent_st();
  (*event)->timed = (flags & cudaEventDisableTiming) == 0;
  ++state().events;
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  CUDA_CALL("cudaEventDestroy");
  delete event;
  --state().events;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  CUDA_CALL("cudaEventRecord");
  const std::scoped_lock lock(event->mutex); // of several threads the last to record is the last in the queue
  event->recorded = queueOf(stream).mark();
  return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  CUDA_CALL("cudaEventQuery");
  const std::scoped_lock lock(event->mutex);
  return !event->recorded || event->recorded->isSet() ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  CUDA_CALL("cudaEventElapsedTime");
  const std::scoped_lock lock(start->mutex, end->mutex);
  if (!start->timed || !end->timed || !start->recorded || !end->recorded)
    return remember(cudaErrorInvalidResourceHandle);
  if (!start->recorded->isSet() || !end->recorded->isSet())
    return cudaErrorNotReady;
  *milliseconds = std::chrono::duration<float, std::milli>(end->recorded->time() - start->recorded->time()).count();
  return cudaSuccess;
}

} // extern "C"
