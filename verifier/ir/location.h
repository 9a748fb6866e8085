// A place in an input file. Lines and columns count from 1, columns in bytes; line 0 means "the file as a whole".
#pragma once

#include "verifier/ir/ids.h"

#include <cstdint>

namespace plumbline {

struct SourceLocation {
  FileId file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  [[nodiscard]] bool valid() const { return file.valid(); }
  bool operator==(const SourceLocation &) const = default;
};

} // namespace plumbline
