// Samples for a language model of characters: pieces of a text, each with the same piece one character on as labels.
#pragma once

#include "runtime/backend/backend.h"

#include <string>

namespace plumbline::runtime {

// Tokens are the text's bytes. Where a sample lies in the text follows from seed, step and sample alone. Fields of
// other types than i32 (of a synthetic stage, say) get the text's bytes as they are.
class TextSource : public DataSource {
public:
  // `text` must not be empty; it is repeated where it is shorter than a sample.
  TextSource(std::string text, std::uint64_t seed) : text_(std::move(text)), seed_(seed) {}
  void fill(std::int64_t step, std::int64_t sample, SampleField input, SampleField labels) const override;

private:
  std::string text_;
  std::uint64_t seed_;
};

} // namespace plumbline::runtime
