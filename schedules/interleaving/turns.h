// How microbatches and chunks take turns on a rank that has several chunks: the microbatches come in groups, and a
// group passes through one chunk after another before the next group begins.
#pragma once

#include <cstdint>

namespace plumbline::schedules {

struct Turn {
  std::int32_t chunk = 0;
  std::int32_t microbatch = 0;
};

class Turns {
public:
  // Groups of `group` microbatches; the last one takes what is left. All three are at least 1.
  Turns(std::int32_t microbatches, std::int32_t chunks, std::int32_t group);

  [[nodiscard]] std::int32_t count() const { return microbatches_ * chunks_; }
  // `turn` is from 0 to count() - 1.
  [[nodiscard]] Turn operator[](std::int32_t turn) const;

private:
  std::int32_t microbatches_;
  std::int32_t chunks_;
  std::int32_t group_;
};

} // namespace plumbline::schedules
