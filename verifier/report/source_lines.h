// Lines of a text, and places in them counted in UTF-16 code units, as formats for editors want them.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plumbline::report {

// One piece of one line. Columns count from 1 in UTF-16 code units, as the text reads once what is not UTF-8 in it is
// replaced by U+FFFD; a byte order mark at the begin of the text counts nothing.
struct SourceRegion {
  std::uint32_t line = 0;
  std::size_t column = 0, end = 0; // `end` is behind the last character
  std::string text;                // in UTF-8
};

class SourceLines {
public:
  // The text must outlive the object. Linear.
  explicit SourceLines(llvm::StringRef text);

  // From a place (line and column from 1, the column in bytes): `word` if it stands there, else the rest of the line.
  // Nothing if there is no such place. Linear in the line.
  [[nodiscard]] std::optional<SourceRegion> regionAt(std::uint32_t line, std::uint32_t column,
                                                     llvm::StringRef word) const;

private:
  llvm::StringRef text_;
  std::vector<std::size_t> begins_; // of lines
};

} // namespace plumbline::report
