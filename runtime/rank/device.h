// Where a rank's memory is, and who copies in it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plumbline::runtime {

class Device {
public:
  virtual ~Device() = default;
  // `bytes` > 0, aligned to 256; null if there is no more. Given back with release().
  virtual void *allocate(std::uint64_t bytes) = 0;
  virtual void release(void *memory) = 0;
  // In order with the other work of the stream; null on the host, where it is done at the return.
  virtual void copy(void *to, const void *from, std::uint64_t bytes, void *stream) = 0;
  virtual void fill(void *memory, unsigned char byte, std::uint64_t bytes, void *stream) = 0;
  // To and from memory of the host; done at the return, after all earlier work of the stream.
  virtual void write(void *to, const void *hostFrom, std::uint64_t bytes, void *stream) = 0;
  virtual void read(void *hostTo, const void *from, std::uint64_t bytes, void *stream) = 0;
  // Why a call since the start failed; empty if none did.
  [[nodiscard]] virtual const char *failure() const = 0;
  // The number that plumbline_stage_request::device wants.
  [[nodiscard]] virtual std::int32_t number() const = 0;
};

// Refuses to hand out more than the machine has: memory that is there on paper only ends the process once it is used.
class HostDevice : public Device {
public:
  void *allocate(std::uint64_t bytes) override;
  void release(void *memory) override;
  void copy(void *to, const void *from, std::uint64_t bytes, void *stream) override;
  void fill(void *memory, unsigned char byte, std::uint64_t bytes, void *stream) override;
  void write(void *to, const void *hostFrom, std::uint64_t bytes, void *stream) override;
  void read(void *hostTo, const void *from, std::uint64_t bytes, void *stream) override;
  [[nodiscard]] const char *failure() const override { return ""; }
  [[nodiscard]] std::int32_t number() const override { return -1; }

private:
  std::uint64_t allocated_ = 0; // since the start; what is given back is not counted
};

// Memory of a device, given back at the end. Empty if it could not be had, or nothing was asked for.
class DeviceMemory {
public:
  DeviceMemory() = default;
  DeviceMemory(Device &device, std::uint64_t bytes);
  ~DeviceMemory();
  DeviceMemory(DeviceMemory &&other) noexcept;
  DeviceMemory &operator=(DeviceMemory &&other) noexcept;
  [[nodiscard]] void *data() const { return data_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] bool missing() const { return bytes_ > 0 && !data_; }

private:
  Device *device_ = nullptr;
  void *data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

} // namespace plumbline::runtime
