// The words of one line of `.pir` text, each with its place.
#pragma once

#include "verifier/ir/diagnostic.h"
#include "verifier/ir/text.h"

#include <optional>
#include <string>

namespace plumbline {

// Reads a line from left to right. Blanks before a word are skipped, and a comment counts as the line's end. The first
// error sticks and all later calls fail; each names what it expected.
class PirLexer {
public:
  explicit PirLexer(std::string file) : file_(std::move(file)) {}

  void startLine(const Line &line);

  bool atEnd();
  // Column of the next word.
  std::uint32_t column();
  std::uint32_t line() const { return number_; }

  // Reads a word of letters, digits and underscores; empty if something else comes next.
  llvm::StringRef word();
  // The same without reading it.
  llvm::StringRef peekWord();
  char peek();

  bool accept(char c);
  bool expect(char c);
  bool expectWord(llvm::StringRef word);
  bool expectEnd();
  bool number(const char *what, std::uint64_t limit, std::uint64_t &result);
  bool number(const char *what, std::int32_t limit, std::int32_t &result);
  // 's3' or 'm3' with the given letter.
  bool numbered(char letter, const char *what, std::int32_t &result);
  bool string(std::string &result);
  // A word that may hold dots and dashes, or a string.
  bool name(const char *what, std::string &result);
  // '%' and the letters, digits, dots and underscores behind it.
  bool percentName(llvm::StringRef &result);

  // Records an error at the next word, or at the given column. Always false.
  bool fail(std::string message) { return fail(column(), std::move(message)); }
  bool fail(std::uint32_t column, std::string message);
  bool failAt(std::uint32_t line, std::uint32_t column, std::string message);
  [[nodiscard]] const std::optional<Diagnostic> &error() const { return error_; }

private:
  bool escape(std::string &result);
  std::string found();

  std::string file_;
  Scanner scanner_;
  std::uint32_t number_ = 0;
  std::optional<Diagnostic> error_;
};

} // namespace plumbline
