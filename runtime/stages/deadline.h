// Waiting until a point in time, asleep: threads that wait leave their cores to others.
#pragma once

#include <cstdint>

namespace plumbline::stages {

// So many microseconds from its making. Counted from there, what a thread does meanwhile is not on top.
class Deadline {
public:
  explicit Deadline(std::int64_t microseconds);
  void wait() const; // returns at once for 0 microseconds

private:
  std::int64_t time_ = 0; // in nanoseconds of the monotonic clock; 0: do not wait
};

} // namespace plumbline::stages
