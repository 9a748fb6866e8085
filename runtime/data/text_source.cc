#include "runtime/data/text_source.h"

#include "runtime/memory/extents.h"

namespace plumbline::runtime {
namespace {

// splitmix64's finaliser (Steele, Lea, Flood 2014).
std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

} // namespace

void TextSource::fill(std::int64_t step, std::int64_t sample, SampleField input, SampleField labels) const {
  const std::uint64_t number =
      mixed(mixed(mixed(seed_) + static_cast<std::uint64_t>(step)) + static_cast<std::uint64_t>(sample));
  const auto copy = [&](SampleField to, std::uint64_t first) {
    if (!to.data)
      return;
    const bool tokens = to.extent.element == PLUMBLINE_I32;
    const std::uint64_t count = tokens ? to.extent.count : bytesOf(to.extent);
    for (std::uint64_t k = 0; k < count; ++k) {
      const char c = text_[(first + k) % text_.size()];
      if (tokens)
        static_cast<std::int32_t *>(to.data)[k] = static_cast<unsigned char>(c);
      else
        static_cast<char *>(to.data)[k] = c;
    }
  };
  copy(input, number % text_.size());
  copy(labels, number % text_.size() + 1);
}

} // namespace plumbline::runtime
