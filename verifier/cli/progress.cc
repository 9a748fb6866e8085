#include "verifier/cli/progress.h"

#include "verifier/report/excerpt.h"

#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

namespace plumbline::cli {

Progress::Progress(const std::string &what, std::size_t total) : what_(report::printable(what)), total_(total) {
  if (llvm::sys::Process::StandardErrIsDisplayed())
    thread_ = std::thread([this] { run(); });
}

Progress::~Progress() {
  if (!thread_.joinable())
    return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Progress::advance(llvm::function_ref<void()> print) {
  const std::lock_guard lock(mutex_);
  erase();
  print();
  ++ready_;
}

void Progress::run() {
  std::unique_lock lock(mutex_);
  for (int seconds = 1;; ++seconds) {
    if (wake_.wait_for(lock, std::chrono::seconds(1), [this] { return done_; }))
      break;
    llvm::errs() << "\r\x1b[K" << what_;
    if (total_ > 1)
      llvm::errs() << ": " << ready_ << " of " << total_;
    llvm::errs() << " ... " << seconds << " s";
    llvm::errs().flush();
    shown_ = true;
  }
  erase();
}

void Progress::erase() {
  if (shown_)
    llvm::errs() << "\r\x1b[K";
  llvm::errs().flush();
  shown_ = false;
}

} // namespace plumbline::cli
