#include "runtime/rank/device.h"

#include "runtime/memory/extents.h"

#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <utility>

namespace plumbline::runtime {

namespace {

std::uint64_t physicalBytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size) : UINT64_MAX;
}

} // namespace

void *HostDevice::allocate(std::uint64_t bytes) {
  const std::uint64_t physical = physicalBytes();
  if (bytes > physical || allocated_ > physical - bytes)
    return nullptr;
  allocated_ += bytes;
  return std::aligned_alloc(alignment, aligned(bytes));
}
void HostDevice::release(void *memory) { std::free(memory); }
void HostDevice::copy(void *to, const void *from, std::uint64_t bytes, void * /*stream*/) {
  std::memcpy(to, from, bytes);
}
void HostDevice::fill(void *memory, unsigned char byte, std::uint64_t bytes, void * /*stream*/) {
  std::memset(memory, byte, bytes);
}
void HostDevice::write(void *to, const void *hostFrom, std::uint64_t bytes, void * /*stream*/) {
  std::memcpy(to, hostFrom, bytes);
}
void HostDevice::read(void *hostTo, const void *from, std::uint64_t bytes, void * /*stream*/) {
  std::memcpy(hostTo, from, bytes);
}

DeviceMemory::DeviceMemory(Device &device, std::uint64_t bytes) : device_(&device), bytes_(bytes) {
  if (bytes == 0)
    return;
  data_ = device.allocate(bytes);
  if (data_)
    device.fill(data_, 0, bytes, nullptr);
}

DeviceMemory::~DeviceMemory() {
  if (data_)
    device_->release(data_);
}

DeviceMemory::DeviceMemory(DeviceMemory &&other) noexcept
    : device_(other.device_), data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

DeviceMemory &DeviceMemory::operator=(DeviceMemory &&other) noexcept {
  std::swap(device_, other.device_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

} // namespace plumbline::runtime
