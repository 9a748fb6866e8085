#include "verifier/ir/pir_lexer.h"

#include "verifier/ir/limits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace plumbline {

void PirLexer::startLine(const Line &line) {
  number_ = line.number;
  scanner_ = Scanner(line.text, number_ == 1 ? byteOrderMark(line.text) : 0);
}

char PirLexer::peek() {
  scanner_.skipBlanks();
  return scanner_.peek() == ';' ? '\0' : scanner_.peek();
}

bool PirLexer::atEnd() { return peek() == '\0'; }

std::uint32_t PirLexer::column() {
  scanner_.skipBlanks();
  return scanner_.column();
}

llvm::StringRef PirLexer::word() {
  scanner_.skipBlanks();
  return scanner_.word();
}

llvm::StringRef PirLexer::peekWord() {
  scanner_.skipBlanks();
  return Scanner(scanner_).word();
}

std::string PirLexer::found() {
  if (atEnd())
    return "the end of the line";
  const llvm::StringRef word = peekWord();
  return inQuotes(word.empty() ? scanner_.rest().take_front(1) : word);
}

bool PirLexer::accept(char c) {
  scanner_.skipBlanks();
  return scanner_.consume(c);
}

bool PirLexer::expect(char c) { return accept(c) || fail(std::string("expected '") + c + "', found " + found()); }

bool PirLexer::expectWord(llvm::StringRef expected) {
  if (peekWord() != expected)
    return fail("expected '" + expected.str() + "', found " + found());
  scanner_.consume(expected);
  return true;
}

bool PirLexer::expectEnd() { return atEnd() || fail("expected the end of the line, found " + found()); }

bool PirLexer::number(const char *what, std::uint64_t limit, std::uint64_t &result) {
  scanner_.skipBlanks();
  const Number number = scanner_.number(limit);
  if (number.status == Number::Status::tooLarge)
    return fail(std::string(what) + " is larger than " + std::to_string(limit));
  if (number.status == Number::Status::missing)
    return fail(std::string("expected ") + what + ", found " + found());
  result = number.value;
  return true;
}

bool PirLexer::number(const char *what, std::int32_t limit, std::int32_t &result) {
  std::uint64_t value = 0;
  if (!number(what, static_cast<std::uint64_t>(limit), value))
    return false;
  result = static_cast<std::int32_t>(value);
  return true;
}

bool PirLexer::numbered(char letter, const char *what, std::int32_t &result) {
  if (!accept(letter))
    return fail(std::string("expected ") + what + ", found " + found());
  return number(what, static_cast<std::int32_t>(maxNumber) - 1, result);
}

bool PirLexer::string(std::string &result) {
  if (!expect('"'))
    return false;
  for (;;) {
    result += scanner_.takeWhile([](char c) { return c != '"' && c != '\\'; });
    if (scanner_.consume('"'))
      return true;
    if (scanner_.atEnd())
      return fail(scanner_.column(), "expected '\"' to end the string");
    if (!escape(result))
      return false;
  }
}

bool PirLexer::escape(std::string &result) {
  const std::uint32_t start = scanner_.column();
  scanner_.skip(1);
  const char c = scanner_.peek();
  if (c == '"' || c == '\\' || c == 'n' || c == 't') {
    scanner_.skip(1);
    result += c == 'n' ? '\n' : c == 't' ? '\t' : c;
    return true;
  }
  const llvm::StringRef digits = scanner_.rest().substr(1, 2);
  if (c == 'x' && digits.size() == 2 && llvm::all_of(digits, llvm::isHexDigit)) {
    scanner_.skip(3);
    result += static_cast<char>(llvm::hexFromNibbles(digits[0], digits[1]));
    return true;
  }
  return fail(start, "unknown escape; expected \\\", \\\\, \\n, \\t or \\xHH");
}

bool PirLexer::name(const char *what, std::string &result) {
  if (peek() == '"')
    return string(result);
  if (!llvm::isAlpha(peek()) && peek() != '_')
    return fail(std::string("expected ") + what + ", found " + found());
  result = scanner_.takeWhile([](char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '-'; }).str();
  return true;
}

bool PirLexer::percentName(llvm::StringRef &result) {
  if (!expect('%'))
    return false;
  result = scanner_.takeWhile([](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
  return !result.empty() || fail("expected a name behind '%'");
}

bool PirLexer::fail(std::uint32_t column, std::string message) { return failAt(number_, column, std::move(message)); }

bool PirLexer::failAt(std::uint32_t line, std::uint32_t column, std::string message) {
  if (!error_)
    error_ = Diagnostic{file_, line, column, std::move(message)};
  return false;
}

} // namespace plumbline
