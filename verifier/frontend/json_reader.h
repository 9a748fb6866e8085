// Reads JSON piece by piece, with the place of each piece.
//
// llvm::json builds a tree without places; findings need the line and column of each operation, and a tree of untrusted
// text takes some thirty times its size. So the caller walks over the text and keeps what it needs.
#pragma once

#include "verifier/frontend/source.h"
#include "verifier/ir/diagnostic.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <optional>

namespace plumbline::frontend {

// The first error sticks: afterwards every call returns false (or nothing) at once.
class JsonReader {
public:
  struct Place {
    std::uint32_t line = 1;
    std::uint32_t column = 1;
  };

  explicit JsonReader(const Source &file);

  // The place of the next piece.
  Place place();
  // '{', '[', '"', a digit or '-', 't', 'f', 'n' for what begins next; '\0' at the end of the text.
  char peek();

  // Reads an object; `member` is called behind each key and must read the value.
  bool object(llvm::function_ref<bool(llvm::StringRef key, Place keyPlace)> member);
  // Reads an array; `element` is called before each element and must read it.
  bool array(llvm::function_ref<bool()> element);
  // Reads a whole number from 0 to `limit`.
  bool integer(std::int32_t &result, std::int32_t limit);
  bool boolean(bool &result);
  // Reads a string without escapes: all that the formats use for keys and operation names.
  bool string(llvm::StringRef &result);
  // Reads over any value, escapes included.
  bool skip();
  // Checks that only white space is left.
  bool end();

  bool fail(Place place, std::string message);
  [[nodiscard]] const std::optional<Diagnostic> &error() const { return error_; }

private:
  static constexpr int maxDepth = 64;

  bool enter(char open, const char *what);
  bool punctuation(char c, const char *message);
  bool skipString();
  bool skipLiteral();
  void skipSpace();
  void advance(std::size_t count) { at_ += count; }
  [[nodiscard]] Place placeAt(std::size_t at) const { return {line_, static_cast<std::uint32_t>(at - lineStart_) + 1}; }

  std::string name_;
  llvm::StringRef text_;
  std::size_t at_ = 0;
  std::size_t lineStart_ = 0;
  std::uint32_t line_ = 1;
  int depth_ = 0;
  std::optional<Diagnostic> error_;
};

} // namespace plumbline::frontend
