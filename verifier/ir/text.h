// Reading text line by line and token by token with exact places; shared by all readers of text.
#pragma once

#include "verifier/ir/diagnostic.h"

#include "llvm/ADT/StringRef.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace plumbline {

// One line without its line end.
struct Line {
  llvm::StringRef text;
  std::uint32_t number = 0; // from 1
  bool lineEnd = true;      // false if the file ends without one
};

// Splits a text at LF or CR LF. Linear over the whole text, no copies.
class LineReader {
public:
  explicit LineReader(llvm::StringRef text) : rest_(text) {}
  // The next line, or nothing at the end. A text that ends with a line end has no empty last line.
  std::optional<Line> next();

private:
  llvm::StringRef rest_;
  std::uint32_t number_ = 0;
};

// A number as read: its value, or why there is none.
struct Number {
  enum class Status : std::uint8_t { ok, missing, tooLarge };
  Status status = Status::missing;
  std::uint64_t value = 0;
};

// Walks over one line. Never reads past its end.
class Scanner {
public:
  Scanner() = default;
  explicit Scanner(llvm::StringRef line, std::size_t start = 0) : line_(line), at_(start) {}

  [[nodiscard]] bool atEnd() const { return at_ >= line_.size(); }
  [[nodiscard]] char peek() const { return atEnd() ? '\0' : line_[at_]; }
  [[nodiscard]] llvm::StringRef rest() const { return line_.drop_front(at_); }
  [[nodiscard]] std::size_t offset() const { return at_; }
  [[nodiscard]] std::uint32_t column() const { return static_cast<std::uint32_t>(at_) + 1; }

  void skip(std::size_t count) { at_ += count; }
  void skipBlanks(); // spaces and tabs
  bool consume(char c);
  bool consume(llvm::StringRef text);
  // As many characters as satisfy the predicate; may be empty.
  template <typename Predicate> llvm::StringRef takeWhile(Predicate predicate) {
    const llvm::StringRef taken = rest().take_while(predicate);
    at_ += taken.size();
    return taken;
  }
  // Letters, digits and underscores; empty if there is none.
  llvm::StringRef word();
  // A decimal number up to `limit`. Moves only if the number is good.
  Number number(std::uint64_t limit);

private:
  llvm::StringRef line_;
  std::size_t at_ = 0;
};

// Length of a UTF-8 byte order mark at the start of the text: 3 or 0.
std::size_t byteOrderMark(llvm::StringRef text);

// Checks what no text format allows: too many bytes, a NUL byte, a carriage return without a line feed, another
// encoding. Returns the first fault. Linear.
std::optional<Diagnostic> checkText(llvm::StringRef name, llvm::StringRef text);

// What to print for a piece of the input within a message: quoted, shortened, control characters replaced.
std::string inQuotes(llvm::StringRef text);

} // namespace plumbline
