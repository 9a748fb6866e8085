#include "runtime/cuda/gradient_sums.h"

#include "runtime/cuda/check.h"
#include "runtime/cuda/kernels.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace plumbline::runtime::cuda {

std::vector<std::vector<Share>> sharesOfGradients(const Program &program, std::int32_t copies) {
  if (program.replicas * copies == 1)
    return {};
  std::vector<std::vector<Share>> shares(static_cast<std::size_t>(program.stagesPerReplica));
  for (std::int32_t copy = 0; copy < copies; ++copy)
    for (std::int32_t s = 0; s < program.stageCount(); ++s)
      if (const RankId rank = program.stages[static_cast<std::size_t>(s)].rank; rank.valid())
        shares[static_cast<std::size_t>(s % program.stagesPerReplica)].push_back(
            {StageId(s), copy * program.rankCount() + rank.value()});
  return shares;
}

std::string addUp(llvm::ArrayRef<DeviceMemory *> shares, cudaStream_t stream) {
  Calls calls;
  auto *const sum = static_cast<float *>(shares.front()->data());
  for (const DeviceMemory *share : llvm::drop_begin(shares)) {
    const std::uint64_t bytes = std::min(shares.front()->bytes(), share->bytes());
    calls(launch(stream, AddFloats{static_cast<const float *>(share->data()), sum},
                 static_cast<std::int64_t>(bytes / sizeof(float))),
          "a kernel's launch");
  }
  return calls.wrong();
}

std::string spread(llvm::ArrayRef<DeviceMemory *> shares, cudaStream_t stream) {
  Calls calls;
  for (const DeviceMemory *share : llvm::drop_begin(shares))
    if (const std::uint64_t bytes = std::min(shares.front()->bytes(), share->bytes()); bytes > 0)
      calls(cudaMemcpyAsync(share->data(), shares.front()->data(), bytes, cudaMemcpyDeviceToDevice, stream),
            "cudaMemcpyAsync");
  return calls.wrong();
}

} // namespace plumbline::runtime::cuda
