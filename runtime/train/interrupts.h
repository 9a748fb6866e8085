// Ctrl-C, and its like: the first asks for an end after the step, the second for one at once.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

namespace plumbline::runtime {

// While it lives, SIGINT and SIGTERM do not end the process. There can be one at a time.
class Interrupts {
public:
  // `first` and `second` are called on a thread of its own.
  Interrupts(std::function<void()> first, std::function<void()> second);
  ~Interrupts();
  Interrupts(const Interrupts &) = delete;
  Interrupts &operator=(const Interrupts &) = delete;

  // How many came so far.
  [[nodiscard]] int count() const { return count_; }

private:
  void watch();

  std::function<void()> first_, second_;
  std::atomic<int> count_{0};
  int read_ = -1, write_ = -1; // a pipe: what a signal's handler may do is write to it
  std::thread thread_;
};

} // namespace plumbline::runtime
