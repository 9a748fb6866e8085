#include "verifier/frontend/json_reader.h"

#include "verifier/ir/text.h"

#include "llvm/ADT/StringExtras.h"

namespace plumbline::frontend {

JsonReader::JsonReader(const Source &file)
    : name_(file.name), text_(file.text), at_(byteOrderMark(file.text)), error_(checkText(file.name, file.text)) {}

void JsonReader::skipSpace() {
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '\n') {
      ++line_;
      lineStart_ = at_ + 1;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      return;
    }
  }
}

JsonReader::Place JsonReader::place() {
  skipSpace();
  return placeAt(at_);
}

char JsonReader::peek() {
  skipSpace();
  return at_ < text_.size() && !error_ ? text_[at_] : '\0';
}

bool JsonReader::fail(Place place, std::string message) {
  if (!error_)
    error_ = Diagnostic{name_, place.line, place.column, std::move(message)};
  return false;
}

bool JsonReader::punctuation(char c, const char *message) {
  if (error_)
    return false;
  if (peek() != c)
    return fail(place(), at_ == text_.size() ? std::string("the text is cut off; ") + message : message);
  advance(1);
  return true;
}

bool JsonReader::enter(char open, const char *what) {
  if (!punctuation(open, what))
    return false;
  return ++depth_ <= maxDepth || fail(placeAt(at_ - 1), "objects and arrays are nested too deeply");
}

bool JsonReader::object(llvm::function_ref<bool(llvm::StringRef, Place)> member) {
  if (!enter('{', "expected an object '{...}'"))
    return false;
  bool more = peek() != '}';
  while (more) {
    const Place keyPlace = place();
    llvm::StringRef key;
    if (!string(key) || !punctuation(':', "expected ':' after the key") || !member(key, keyPlace))
      return false;
    more = peek() == ',';
    if (more)
      advance(1);
  }
  --depth_;
  return punctuation('}', "expected ',' or '}'");
}

bool JsonReader::array(llvm::function_ref<bool()> element) {
  if (!enter('[', "expected an array '[...]'"))
    return false;
  bool more = peek() != ']';
  while (more) {
    if (!element())
      return false;
    more = peek() == ',';
    if (more)
      advance(1);
  }
  --depth_;
  return punctuation(']', "expected ',' or ']'");
}

bool JsonReader::integer(std::int32_t &result, std::int32_t limit) {
  const Place start = place();
  if (error_)
    return false;
  Scanner scanner(text_, at_);
  const Number number = scanner.number(static_cast<std::uint64_t>(limit));
  if (number.status == Number::Status::tooLarge)
    return fail(start, "the number is larger than " + std::to_string(limit));
  if (number.status == Number::Status::missing || scanner.peek() == '.' || llvm::isAlpha(scanner.peek()))
    return fail(start, "expected a whole number from 0 to " + std::to_string(limit));
  advance(scanner.offset() - at_);
  result = static_cast<std::int32_t>(number.value);
  return true;
}

bool JsonReader::boolean(bool &result) {
  const Place start = place();
  if (error_)
    return false;
  const llvm::StringRef rest = text_.drop_front(at_);
  result = rest.starts_with("true");
  if (!result && !rest.starts_with("false"))
    return fail(start, "expected true or false");
  advance(result ? 4 : 5);
  return true;
}

bool JsonReader::string(llvm::StringRef &result) {
  if (!punctuation('"', "expected a string in quotation marks"))
    return false;
  const std::size_t begin = at_;
  at_ = text_.find_first_of("\"\\\n", at_);
  if (at_ == llvm::StringRef::npos || text_[at_] != '"') {
    at_ = std::min(at_, text_.size());
    return fail(placeAt(at_), "expected '\"' to end the string (escapes are not used here)");
  }
  result = text_.slice(begin, at_);
  advance(1);
  return true;
}

bool JsonReader::skipString() {
  if (!punctuation('"', "expected a string in quotation marks"))
    return false;
  for (; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
    if (text_[at_] == '"') {
      advance(1);
      return true;
    }
    if (text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n')
      advance(1);
  }
  return fail(placeAt(at_), "expected '\"' to end the string");
}

bool JsonReader::skipLiteral() {
  const Place start = place();
  Scanner scanner(text_, at_);
  const llvm::StringRef word =
      scanner.takeWhile([](char c) { return llvm::isAlnum(c) || c == '-' || c == '+' || c == '.'; });
  double number = 0;
  if (word != "true" && word != "false" && word != "null" && word.getAsDouble(number))
    return fail(start, word.empty() ? "expected a value" : "expected a value, found " + inQuotes(word));
  advance(word.size());
  return true;
}

bool JsonReader::skip() {
  if (error_)
    return false;
  switch (peek()) {
  case '{':
    return object([this](llvm::StringRef, Place) { return skip(); });
  case '[':
    return array([this] { return skip(); });
  case '"':
    return skipString();
  case '\0':
    return fail(place(), "the text is cut off; expected a value");
  default:
    return skipLiteral();
  }
}

bool JsonReader::end() {
  if (error_)
    return false;
  return peek() == '\0' || fail(place(), "expected the end of the text after the object");
}

} // namespace plumbline::frontend
