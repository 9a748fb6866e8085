#include "runtime/cuda/kernels.h"

namespace plumbline::runtime::cuda {
namespace {

constexpr int warpSize32 = 32;
constexpr int threadsPerBlock = 256;
// Enough to fill any device; what is left over, threads find in their loop.
constexpr std::int64_t mostBlocks = 1 << 16;

} // namespace

// A warp as the team that a body shares its work out among. All its threads are in the same call of a body.
struct Warp {
  [[nodiscard]] __device__ static std::int64_t index() { return threadIdx.x % warpSize32; }
  [[nodiscard]] __device__ static std::int64_t size() { return warpSize32; }
  // By exchange between pairs, in an order that does not depend on timing; every thread gets the same bits.
  [[nodiscard]] __device__ static float sum(float value) {
    for (int distance = warpSize32 / 2; distance > 0; distance /= 2)
      value += __shfl_xor_sync(0xffffffffU, value, distance);
    return value;
  }
  [[nodiscard]] __device__ static float max(float value) {
    for (int distance = warpSize32 / 2; distance > 0; distance /= 2)
      value = fmaxf(value, __shfl_xor_sync(0xffffffffU, value, distance));
    return value;
  }
};

template <typename Body> __global__ void eachByThread(Body body, std::int64_t count) {
  const std::int64_t step = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
    body(bodies::Alone(), i);
}

template <typename Body> __global__ void eachByWarp(Body body, std::int64_t count) {
  const std::int64_t warps = blockDim.x / warpSize32;
  for (std::int64_t i = blockIdx.x * warps + threadIdx.x / warpSize32; i < count; i += gridDim.x * warps)
    body(Warp(), i);
}

template <typename Body> cudaError_t launch(cudaStream_t stream, const Body &body, std::int64_t count) {
  if (count <= 0)
    return cudaSuccess;
  const std::int64_t perBlock = Body::perWarp ? threadsPerBlock / warpSize32 : threadsPerBlock;
  const std::int64_t needed = (count + perBlock - 1) / perBlock;
  const auto blocks = static_cast<unsigned>(needed < mostBlocks ? needed : mostBlocks);
  Body operand = body;
  void *operands[] = {&operand, &count};
  // Not <<<>>>, whose error is to be had only from cudaGetLastError, which also gives older ones.
  if constexpr (Body::perWarp)
    return cudaLaunchKernel(eachByWarp<Body>, blocks, threadsPerBlock, operands, 0, stream);
  else
    return cudaLaunchKernel(eachByThread<Body>, blocks, threadsPerBlock, operands, 0, stream);
}

#define PLUMBLINE_KERNEL(...) template cudaError_t launch(cudaStream_t, const __VA_ARGS__ &, std::int64_t);
PLUMBLINE_KERNELS(PLUMBLINE_KERNEL)
#undef PLUMBLINE_KERNEL

namespace {

template <typename Body> cudaError_t load() {
  cudaFuncAttributes attributes;
  if constexpr (Body::perWarp)
    return cudaFuncGetAttributes(&attributes, eachByWarp<Body>);
  else
    return cudaFuncGetAttributes(&attributes, eachByThread<Body>);
}

} // namespace

cudaError_t loadKernels() {
#define PLUMBLINE_LOAD(...)                                                                                            \
  if (const cudaError_t result = load<__VA_ARGS__>(); result != cudaSuccess)                                           \
    return result;
  PLUMBLINE_KERNELS(PLUMBLINE_LOAD)
#undef PLUMBLINE_LOAD
  return cudaSuccess;
}

} // namespace plumbline::runtime::cuda
