#include "verifier/report/excerpt.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Unicode.h"

#include <algorithm>
#include <string>

namespace plumbline::report {
namespace {

// The line without its end, or an empty reference with a null pointer. A lone CR ends a line too.
llvm::StringRef lineOf(llvm::StringRef text, std::uint32_t line) {
  for (std::uint32_t current = 1; current < line; ++current) {
    const std::size_t end = text.find_first_of("\r\n");
    if (end == llvm::StringRef::npos)
      return {};
    text = text.drop_front(text.substr(end).starts_with("\r\n") ? end + 2 : end + 1);
  }
  return text.take_until([](char c) { return c == '\n' || c == '\r'; });
}

// Does one see the character where it stands, and nothing else of it? Not controls, marks of direction, variants and
// what has no width, which may drive a terminal or make a text look like another; nor blanks other than the usual one.
bool isSeen(llvm::UTF32 point) {
  struct Range {
    llvm::UTF32 first, last;
  };
  static constexpr Range unseen[] = {
      {0xa0, 0xa0},     {0xad, 0xad},     {0x34f, 0x34f},   {0x61c, 0x61c},   {0x115f, 0x1160}, {0x1680, 0x1680},
      {0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x2000, 0x200f}, {0x2028, 0x202f}, {0x205f, 0x206f}, {0x2800, 0x2800},
      {0x3000, 0x3000}, {0x3164, 0x3164}, {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0xe0000, 0xe0fff}};
  return llvm::sys::unicode::isPrintable(static_cast<int>(point)) &&
         llvm::none_of(unseen, [&](const Range &r) { return r.first <= point && point <= r.last; });
}

} // namespace

std::string printable(llvm::StringRef text) {
  std::string result;
  while (!text.empty()) {
    const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.bytes_begin());
    const auto *const end = reinterpret_cast<const llvm::UTF8 *>(text.bytes_end());
    const llvm::UTF8 *next = begin;
    llvm::UTF32 point = 0;
    const bool legal = llvm::convertUTF8Sequence(&next, end, &point, llvm::strictConversion) == llvm::conversionOK;
    const std::size_t bytes = legal ? static_cast<std::size_t>(next - begin) : 1;
    if (legal && isSeen(point))
      result += text.take_front(bytes);
    else
      result += '?';
    text = text.drop_front(bytes);
  }
  return result;
}

void printExcerpt(llvm::StringRef text, std::uint32_t line, std::uint32_t column, unsigned width,
                  llvm::raw_ostream &out) {
  if (line == 0)
    return;
  const llvm::StringRef whole = lineOf(text, line);
  if (whole.data() == nullptr)
    return;
  const std::string number = std::to_string(line);
  const std::size_t margin = std::max<std::size_t>(5, number.size() + 1);
  const std::size_t room = width > margin + 24 ? width - margin - 4 : 20;
  const std::size_t caret = std::min<std::size_t>(column > 0 ? column - 1 : 0, whole.size());
  std::size_t first = 0;
  if (whole.size() > room)
    first = std::min(caret > room / 3 ? caret - room / 3 : 0, whole.size() - room);
  std::string shown = whole.substr(first, room).str();
  for (char &c : shown)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f)
      c = c == '\t' ? ' ' : '?';
  if (first > 0)
    shown.replace(0, 3, "...");
  if (first + room < whole.size())
    shown.replace(shown.size() - 3, 3, "...");
  out << std::string(margin - number.size(), ' ') << number << " | " << shown << '\n';
  out << std::string(margin, ' ') << " | " << std::string(caret - first, ' ') << "^\n";
}

} // namespace plumbline::report
