#include "runtime/data/text_source.h"

namespace plumbline::runtime {
namespace {

// splitmix64's finaliser (Steele, Lea, Flood 2014).
std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

} // namespace

void TextSource::fill(std::int64_t step, std::int64_t sample, plumbline_buffer input, plumbline_buffer labels) const {
  const std::uint64_t number =
      mixed(mixed(mixed(seed_) + static_cast<std::uint64_t>(step)) + static_cast<std::uint64_t>(sample));
  const auto copy = [&](plumbline_buffer to, std::uint64_t first) {
    auto *tokens = static_cast<std::int32_t *>(to.data);
    for (std::uint64_t k = 0; k < to.count; ++k)
      tokens[k] = static_cast<unsigned char>(text_[(first + k) % text_.size()]);
  };
  copy(input, number % text_.size());
  copy(labels, number % text_.size() + 1);
}

} // namespace plumbline::runtime
