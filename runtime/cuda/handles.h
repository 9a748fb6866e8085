// Streams, events and pinned memory that give themselves back.
#pragma once

#include "runtime/cuda/check.h"

#include <cstdint>
#include <memory>

namespace plumbline::runtime::cuda {

struct DestroyStream {
  void operator()(cudaStream_t stream) const { tell(check(cudaStreamDestroy(stream), "cudaStreamDestroy")); }
};
struct DestroyEvent {
  void operator()(cudaEvent_t event) const { tell(check(cudaEventDestroy(event), "cudaEventDestroy")); }
};
struct FreeHost {
  void operator()(char *memory) const { tell(check(cudaFreeHost(memory), "cudaFreeHost")); }
};
using Stream = std::unique_ptr<CUstream_st, DestroyStream>;
using Event = std::unique_ptr<CUevent_st, DestroyEvent>;
using PinnedMemory = std::unique_ptr<char, FreeHost>;

// On the current device; null, and kept in `calls`, if that failed.
inline Stream makeStream(Calls &calls) {
  cudaStream_t stream = nullptr;
  // Without this the default stream, which nothing here uses in a step, would hold up all others.
  calls(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return Stream(stream);
}
inline Event makeEvent(Calls &calls, bool timed = false) {
  cudaEvent_t event = nullptr;
  calls(cudaEventCreateWithFlags(&event, timed ? cudaEventDefault : cudaEventDisableTiming),
        "cudaEventCreateWithFlags");
  return Event(event);
}
inline PinnedMemory makePinned(Calls &calls, std::uint64_t bytes) {
  void *memory = nullptr;
  if (bytes > 0)
    calls(cudaMallocHost(&memory, bytes), "cudaMallocHost");
  return PinnedMemory(static_cast<char *>(memory));
}

} // namespace plumbline::runtime::cuda
