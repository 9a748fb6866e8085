// Queues of work, and the signals by which they wait for each other.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace plumbline::standin {

// Set once.
class Signal {
public:
  void set() {
    const std::scoped_lock lock(mutex_);
    time_ = std::chrono::steady_clock::now();
    set_ = true;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return set_; });
  }
  [[nodiscard]] bool isSet() {
    const std::scoped_lock lock(mutex_);
    return set_;
  }
  [[nodiscard]] std::chrono::steady_clock::time_point time() {
    const std::scoped_lock lock(mutex_);
    return time_;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool set_ = false;
  std::chrono::steady_clock::time_point time_;
};

class Queue {
public:
  explicit Queue(int device);
  // Does what is left first.
  ~Queue();
  Queue(const Queue &) = delete;
  Queue &operator=(const Queue &) = delete;

  void enqueue(std::function<void()> work);
  // Of a kernel: waits while the queue is full.
  void enqueueKernel(std::function<void()> work);
  // Set once all that has been enqueued so far is done.
  std::shared_ptr<Signal> mark();
  [[nodiscard]] bool idle();
  [[nodiscard]] int device() const { return device_; }

private:
  struct Item {
    std::function<void()> work;     // or
    std::shared_ptr<Signal> signal; // to set
  };

  void put(Item item);
  void live();
  void putOff();

  const int device_;
  const std::uint64_t number_;
  std::uint64_t done_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  bool busy_ = false, leaving_ = false;
  std::thread thread_;
};

// Returns when all that has been enqueued on the device's queues so far is done.
void waitForAll(int device);

// The queue behind a cudaStream_t; null: the default stream of the calling thread's device.
Queue &queueOf(void *stream);

} // namespace plumbline::standin

// What cudaStream_t and cudaEvent_t point to.
// The names are those that CUDA has forward-declared.
// NOLINTNEXTLINE(readability-identifier-naming)
struct CUstream_st : plumbline::standin::Queue {
  using Queue::Queue;
};
// NOLINTNEXTLINE(readability-identifier-naming)
struct CUevent_st {
  std::mutex mutex;
  std::shared_ptr<plumbline::standin::Signal> recorded; // null: never
  bool timed = false;
};
