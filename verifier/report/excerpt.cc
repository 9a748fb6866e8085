#include "verifier/report/excerpt.h"

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

} // namespace

std::string printable(llvm::StringRef text) {
  std::string result = text.str();
  for (char &c : result)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) == 0x7f)
      c = '?';
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
