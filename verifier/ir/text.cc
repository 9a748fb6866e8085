#include "verifier/ir/text.h"

#include "verifier/ir/limits.h"

#include "llvm/ADT/StringExtras.h"

namespace plumbline {

std::optional<Line> LineReader::next() {
  if (rest_.empty())
    return std::nullopt;
  const std::size_t end = rest_.find('\n');
  Line line{rest_.substr(0, end), ++number_, end != llvm::StringRef::npos};
  rest_ = line.lineEnd ? rest_.drop_front(end + 1) : llvm::StringRef();
  if (line.lineEnd)
    line.text.consume_back("\r");
  return line;
}

void Scanner::skipBlanks() {
  while (!atEnd() && (line_[at_] == ' ' || line_[at_] == '\t'))
    ++at_;
}

bool Scanner::consume(char c) {
  if (atEnd() || line_[at_] != c)
    return false;
  ++at_;
  return true;
}

bool Scanner::consume(llvm::StringRef text) {
  if (!rest().starts_with(text))
    return false;
  at_ += text.size();
  return true;
}

llvm::StringRef Scanner::word() {
  return takeWhile([](char c) { return llvm::isAlnum(c) || c == '_'; });
}

Number Scanner::number(std::uint64_t limit) {
  std::uint64_t value = 0;
  std::size_t end = at_;
  for (; end < line_.size() && llvm::isDigit(line_[end]); ++end) {
    const std::uint64_t digit = static_cast<std::uint64_t>(line_[end] - '0');
    if (value > limit / 10 || digit > limit - value * 10)
      return {Number::Status::tooLarge, 0};
    value = value * 10 + digit;
  }
  if (end == at_)
    return {};
  at_ = end;
  return {Number::Status::ok, value};
}

std::size_t byteOrderMark(llvm::StringRef text) { return text.starts_with("\xEF\xBB\xBF") ? 3 : 0; }

std::optional<Diagnostic> checkText(llvm::StringRef name, llvm::StringRef text) {
  if (text.size() > maxTextBytes)
    return Diagnostic{name.str(), 0, 0, "the file is larger than 1 GiB"};
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    return Diagnostic{name.str(), 1, 1, "the file is UTF-16; expected UTF-8 text"};
  const auto fault = [&](std::size_t at, const char *message) {
    const llvm::StringRef before = text.take_front(at);
    const std::size_t lineStart = before.rfind('\n') + 1; // npos + 1 is 0
    return Diagnostic{name.str(), static_cast<std::uint32_t>(before.count('\n')) + 1,
                      static_cast<std::uint32_t>(at - lineStart) + 1, message};
  };
  for (std::size_t at = text.find_first_of(llvm::StringRef("\0\r", 2)); at != llvm::StringRef::npos;
       at = text.find_first_of(llvm::StringRef("\0\r", 2), at + 1)) {
    if (text[at] == '\0')
      return fault(at, "a NUL byte; expected text");
    if (at + 1 == text.size() || text[at + 1] != '\n')
      return fault(at, "a carriage return that no line feed follows");
  }
  return std::nullopt;
}

std::string inQuotes(llvm::StringRef text) {
  constexpr std::size_t longest = 40;
  std::string result = "'";
  for (const char c : text.take_front(longest))
    result += llvm::isPrint(c) ? c : '?';
  return result + (text.size() > longest ? "...'" : "'");
}

} // namespace plumbline
