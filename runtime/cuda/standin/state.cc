#include "runtime/cuda/standin/state.h"

#include <cstdlib>

namespace plumbline::standin {

State &state() {
  static State *const only = [] {
    auto *const made = new State(); // queues of static objects may outlive others
    if (const char *devices = std::getenv("PLUMBLINE_STANDIN_DEVICES"))
      made->settings.devices = std::atoi(devices);
    return made;
  }();
  return *only;
}

Settings settings() {
  const std::scoped_lock lock(state().mutex);
  return state().settings;
}

void configure(const Settings &settings) {
  State &s = state();
  const std::scoped_lock lock(s.mutex);
  s.settings = settings;
  s.failures.clear();
  s.calls.clear();
  s.lost.clear();
  s.queues = 0;
  s.waits = 0;
}

Left left() {
  const State &s = state();
  return {s.allocations, s.pinned, s.streams, s.events, s.handles, s.communicators};
}

void failCall(const char *function, int after, int error) {
  const std::scoped_lock lock(state().mutex);
  state().failures[function] = {after, error};
}

std::optional<int> ordered(const char *function) {
  State &s = state();
  const std::scoped_lock lock(s.mutex);
  ++s.calls[function];
  const auto found = s.failures.find(function);
  if (found == s.failures.end())
    return std::nullopt;
  if (found->second.first-- > 0)
    return std::nullopt;
  const int error = found->second.second;
  s.failures.erase(found);
  return error;
}

std::int64_t callsOf(const char *function) {
  const std::scoped_lock lock(state().mutex);
  const auto found = state().calls.find(function);
  return found == state().calls.end() ? 0 : found->second;
}

void loseDevice(int device, int afterLaunches, bool noticed) {
  const std::scoped_lock lock(state().mutex);
  state().lost[device] = {afterLaunches, noticed};
}

int &lastError() {
  thread_local int error = 0;
  return error;
}

int &currentDevice() {
  thread_local int device = 0;
  return device;
}

} // namespace plumbline::standin
