#include "runtime/train/interrupts.h"

#include <csignal>
#include <pthread.h>

namespace plumbline::runtime {
namespace {

sigset_t watched() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGUSR2}) // the last one wakes our own thread
    sigaddset(&set, signal);
  return set;
}

} // namespace

Interrupts::Interrupts(std::function<void()> first, std::function<void()> second)
    : first_(std::move(first)), second_(std::move(second)) {
  const sigset_t set = watched();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread_ = std::thread([this] { watch(); });
}

Interrupts::~Interrupts() {
  leaving_ = true;
  pthread_kill(thread_.native_handle(), SIGUSR2);
  thread_.join();
  const sigset_t set = watched();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void Interrupts::watch() {
  const sigset_t set = watched();
  for (;;) {
    int signal = 0;
    if (sigwait(&set, &signal) != 0)
      continue;
    if (leaving_)
      return;
    if (signal == SIGUSR2)
      continue;
    const int before = count_++;
    if (before == 0)
      first_();
    else if (before == 1)
      second_();
  }
}

} // namespace plumbline::runtime
