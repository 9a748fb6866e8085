#include "verifier/cli/progress.h"

#include "verifier/report/excerpt.h"

#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

namespace plumbline::cli {

Progress::Progress(const std::string &what) : what_(report::printable(what)) {
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

void Progress::run() {
  std::unique_lock lock(mutex_);
  for (int seconds = 1;; ++seconds) {
    if (wake_.wait_for(lock, std::chrono::seconds(1), [this] { return done_; }))
      break;
    llvm::errs() << "\r\x1b[K" << what_ << " ... " << seconds << " s";
    llvm::errs().flush();
    shown_ = true;
  }
  if (shown_)
    llvm::errs() << "\r\x1b[K";
  llvm::errs().flush();
}

} // namespace plumbline::cli
