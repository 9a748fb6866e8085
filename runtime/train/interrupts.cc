#include "runtime/train/interrupts.h"

#include <array>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace plumbline::runtime {
namespace {

constexpr char interrupted = 'i', leave = 'l';

// A handler gets no argument of ours, so this is the one global of the runtime. Which thread it runs on does not
// matter: libraries have threads of their own, and whoever takes the signal passes it on.
std::atomic<int> pipeOfHandler{-1};

void handle(int /*signal*/) {
  const int pipe = pipeOfHandler.load(std::memory_order_relaxed);
  if (pipe >= 0)
    (void)!::write(pipe, &interrupted, 1);
}

void setHandler(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM})
    ::sigaction(signal, &action, nullptr);
}

} // namespace

Interrupts::Interrupts(std::function<void()> first, std::function<void()> second)
    : first_(std::move(first)), second_(std::move(second)) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return; // then signals end the process, as ever
  read_ = ends[0];
  write_ = ends[1];
  thread_ = std::thread([this] { watch(); });
  pipeOfHandler = write_;
  setHandler(handle);
}

Interrupts::~Interrupts() {
  if (!thread_.joinable())
    return;
  setHandler(SIG_DFL);
  pipeOfHandler = -1;
  (void)!::write(write_, &leave, 1);
  thread_.join();
  ::close(read_);
  ::close(write_);
}

void Interrupts::watch() {
  char byte = 0;
  while (::read(read_, &byte, 1) == 1 && byte != leave) {
    const int before = count_++;
    if (before == 0)
      first_();
    else
      second_();
  }
}

} // namespace plumbline::runtime
