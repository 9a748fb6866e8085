#include "runtime/stages/deadline.h"

#include <sys/prctl.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

namespace plumbline::stages {
namespace {

constexpr std::int64_t second = 1'000'000'000;

std::int64_t now() {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * second + time.tv_nsec;
}

void sleepUntil(std::int64_t time) {
  const timespec when = {time / second, time % second};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, nullptr) == EINTR) {
  }
}

// How late this thread wakes, so that it can ask to be woken earlier. Linux adds 50 microseconds of slack to timers
// unless told otherwise, and waking takes tens of microseconds more, on virtual machines above all.
class Lateness {
public:
  Lateness() { prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); }
  [[nodiscard]] std::int64_t usual() const { return usual_; }
  void saw(std::int64_t late) { usual_ += (std::min(late, most) - usual_) / 8; }

private:
  // More is not the wake-up but a busy machine; and bounds the time that is not slept.
  static constexpr std::int64_t most = 100'000;
  std::int64_t usual_ = most / 2;
};

} // namespace

Deadline::Deadline(std::int64_t microseconds) {
  if (microseconds > 0)
    time_ = now() + microseconds * 1000;
}

void Deadline::wait() const {
  if (time_ == 0)
    return;
  thread_local Lateness lateness;
  const std::int64_t early = time_ - lateness.usual();
  if (now() < early) {
    sleepUntil(early);
    lateness.saw(now() - early);
  }
  while (now() < time_) {
  }
}

} // namespace plumbline::stages
