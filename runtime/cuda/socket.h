// TCP with deadlines.
#pragma once

#include "verifier/ir/diagnostic.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace plumbline::runtime::cuda {

using Clock = std::chrono::steady_clock;

// Closes itself.
class Socket {
public:
  explicit Socket(int number = -1) : number_(number) {}
  ~Socket();
  Socket(Socket &&other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Socket &operator=(Socket &&other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool valid() const { return number_ >= 0; }

private:
  int number_;
};

// Listens at the port, of 1 to 65535, for IPv6 and IPv4, or for IPv4 alone where there is no IPv6.
Result<Socket> listenAt(std::uint16_t port);

// The next to come to a socket that listens; invalid if nobody does in time.
Socket acceptFrom(const Socket &door, Clock::time_point deadline);

// One attempt to reach a host. Invalid if it does not answer; then `reason` says why if the name is not known.
Socket reach(const std::string &host, std::uint16_t port, Clock::time_point deadline, std::string &reason);

enum class Transfer : std::uint8_t { done, late, gone };

// All the bytes, or why not: time is up, or the other side is no more.
Transfer sendAll(const Socket &socket, const void *data, std::size_t bytes, Clock::time_point deadline);
Transfer receiveAll(const Socket &socket, void *data, std::size_t bytes, Clock::time_point deadline);

// Waits until there is something to receive, or the other side is gone; false if time is up.
bool awaitInput(const Socket &socket, Clock::time_point deadline);

// Whether the other side has closed the connection. Does not wait.
bool isGone(const Socket &socket);

} // namespace plumbline::runtime::cuda
