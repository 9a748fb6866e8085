// A line on the terminal while a file takes longer than a second. Nothing where standard error is not a terminal.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace plumbline::cli {

class Progress {
public:
  // `what` is shown with the seconds that have passed.
  explicit Progress(const std::string &what);
  ~Progress(); // erases the line
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

private:
  void run();

  std::string what_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  bool shown_ = false; // of the thread alone
  std::thread thread_; // not started without a terminal
};

} // namespace plumbline::cli
