// Memory of a CUDA device, behind the interface that all backends use.
#pragma once

#include "runtime/rank/device.h"

#include <mutex>
#include <string>

namespace plumbline::runtime::cuda {

// Streams are cudaStream_t. Without one, fill and copy are done at the return. May be used from several threads; makes
// its device current in the calling one.
class CudaDevice : public Device {
public:
  explicit CudaDevice(std::int32_t number) : number_(number) {}

  void *allocate(std::uint64_t bytes) override;
  void release(void *memory) override;
  void copy(void *to, const void *from, std::uint64_t bytes, void *stream) override;
  void fill(void *memory, unsigned char byte, std::uint64_t bytes, void *stream) override;
  void write(void *to, const void *hostFrom, std::uint64_t bytes, void *stream) override;
  void read(void *hostTo, const void *from, std::uint64_t bytes, void *stream) override;
  [[nodiscard]] const char *failure() const override;
  [[nodiscard]] std::int32_t number() const override { return number_; }

  // Makes it the current device of the calling thread.
  void use();

private:
  void keep(const std::string &wrong);

  std::int32_t number_;
  mutable std::mutex mutex_;
  std::string failure_; // the first; written once
};

} // namespace plumbline::runtime::cuda
