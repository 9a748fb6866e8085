// A stand-in for the CUDA runtime, cuBLAS and NCCL inside one process, so that the backend's own object code runs on a
// machine without a GPU. It has the entry points that the backend uses and no others; linking shows if one is missing.
//
// Devices are the host's memory. A stream is a queue with a thread: work enqueued on it happens later, in order, and
// concurrently with other streams, so a missing wait gives wrong results, and a data race for the thread sanitizer.
// Events, groups and communicators follow the documentation; where NCCL leaves something undefined that a program must
// not do (sizes that differ, an operation on a communicator that is not ready), the stand-in reports an error.
//
// This header is for tests: it sets what there is, and makes things go wrong.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace plumbline::standin {

// In a program that does not call configure() (one that is a test's subject), devices are as many as the environment
// variable PLUMBLINE_STANDIN_DEVICES says.
struct Settings {
  int devices = 1;
  // Every piece of work is put off by up to that, by a random number that follows from the seed.
  std::chrono::microseconds mostDelay{0};
  std::uint64_t seed = 0;
  // Kernels that a stream takes before the host has to wait for it; 0: any number.
  std::size_t mostPending = 0;
  // A fault: no stream waits for an event; or the n-th wait (from 0) is not done.
  bool ignoresWaits = false;
  std::int64_t ignoredWait = -1;
};

// Before anything else is used, and between tests, when nothing is left of what was used before.
void configure(const Settings &settings);

// What has been made and not been given back.
struct Left {
  std::int64_t allocations = 0, pinned = 0, streams = 0, events = 0, handles = 0, communicators = 0;
  bool operator==(const Left &) const = default;
};
Left left();

// The n-th next call (0: the next) of that function fails with that number of its error type.
void failCall(const char *function, int after, int error);

// As if the process that drives the device were killed: its NCCL operations no longer take part, after so many more
// launches. `noticed`: its peers' communicators then get an error, as when a connection breaks; else they just wait.
void loseDevice(int device, int afterLaunches, bool noticed);

// How often it was called since configure().
std::int64_t callsOf(const char *function);

} // namespace plumbline::standin
