// A line on the terminal while work takes longer than a second. Nothing where standard error is not a terminal.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>

namespace plumbline::cli {

class Progress {
public:
  // `what` is shown with the seconds that have passed, and with how many of `total` parts are done if there are
  // several.
  explicit Progress(const std::string &what, std::size_t total = 1);
  ~Progress(); // erases the line
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  // One part is done. Calls `print`, which may write to the terminal, with the line out of its way.
  void advance(llvm::function_ref<void()> print);

private:
  void run();
  void erase();

  std::string what_;
  std::size_t total_, ready_ = 0;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  bool shown_ = false;
  std::thread thread_; // not started without a terminal
};

} // namespace plumbline::cli
