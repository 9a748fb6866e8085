#include "verifier/report/source_lines.h"

#include "llvm/Support/JSON.h"

#include <algorithm>

namespace plumbline::report {
namespace {

constexpr llvm::StringRef byteOrderMark = "\xef\xbb\xbf";

std::string utf8(llvm::StringRef text) { return llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text); }

// A character has one byte that does not continue another, and two code units if it needs four bytes.
std::size_t codeUnits(llvm::StringRef valid) {
  std::size_t count = 0;
  for (const char c : valid) {
    const auto byte = static_cast<unsigned char>(c);
    count += (byte & 0xc0U) != 0x80U;
    count += byte >= 0xf0U;
  }
  return count;
}

} // namespace

SourceLines::SourceLines(llvm::StringRef text) : text_(text) {
  for (std::size_t begin = 0; begin < text.size();) {
    begins_.push_back(begin);
    const std::size_t end = text.find('\n', begin);
    begin = end == llvm::StringRef::npos ? text.size() : end + 1;
  }
}

std::optional<SourceRegion> SourceLines::regionAt(std::uint32_t line, std::uint32_t column,
                                                  llvm::StringRef word) const {
  if (line == 0 || column == 0 || line > begins_.size())
    return std::nullopt;
  const std::size_t begin = begins_[line - 1], next = line < begins_.size() ? begins_[line] : text_.size();
  llvm::StringRef content = text_.slice(begin, next).rtrim("\r\n");
  std::size_t before = column - 1;
  if (line == 1 && content.consume_front(byteOrderMark))
    before -= std::min(before, byteOrderMark.size());
  if (before > content.size())
    return std::nullopt;
  const llvm::StringRef rest = content.drop_front(before);
  SourceRegion region;
  region.line = line;
  region.text = utf8(!word.empty() && rest.starts_with(word) ? rest.take_front(word.size()) : rest);
  region.column = codeUnits(utf8(content.take_front(before))) + 1;
  region.end = region.column + codeUnits(region.text);
  return region;
}

} // namespace plumbline::report
