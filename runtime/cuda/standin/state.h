// What the parts of the stand-in share.
#pragma once

#include "runtime/cuda/standin/standin.h"

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace plumbline::standin {

struct State {
  std::mutex mutex;
  Settings settings;
  std::map<std::string, std::pair<int, int>> failures; // by function: calls before it, and the error
  std::map<std::string, std::int64_t> calls;
  struct Loss {
    int launches = 0; // that are still to happen
    bool noticed = false;
  };
  std::map<int, Loss> lost; // by device

  std::atomic<std::int64_t> allocations{0}, pinned{0}, streams{0}, events{0}, handles{0}, communicators{0};
  std::atomic<std::uint64_t> queues{0};
  std::atomic<std::int64_t> waits{0}; // that streams were told to do
};
State &state();

// Settings that the work on queues reads; they change only while there is none.
Settings settings();

// Counts the call. The error that failCall() ordered for it.
std::optional<int> ordered(const char *function);

// The calling thread's device.
int &currentDevice();

// What cudaGetLastError gives: the thread's last error, as a number of cudaError_t.
int &lastError();

// Returns from an entry point if a failure was ordered.
#define STANDIN_CALL(Type, name)                                                                                       \
  if (const auto failure = plumbline::standin::ordered(name))                                                          \
  return static_cast<Type>(*failure)

} // namespace plumbline::standin
