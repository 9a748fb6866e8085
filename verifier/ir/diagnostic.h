// What a reader says about input it cannot take, and the value-or-diagnostic type that readers return.
#pragma once

#include <cassert>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace plumbline {

// A place in an input file and what was expected there. Lines and columns count from 1, columns in
// bytes; line 0 means the file as a whole.
struct Diagnostic {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string message;
};

// Either a T or the Diagnostic that says why there is none.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Result(Diagnostic error) : content_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return content_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // Only if ok().
  T &operator*() { return *value(); }
  const T &operator*() const { return *value(); }
  T *operator->() { return value(); }
  const T *operator->() const { return value(); }

  // Only if not ok().
  [[nodiscard]] const Diagnostic &error() const {
    assert(!ok());
    return *std::get_if<1>(&content_);
  }

private:
  T *value() {
    assert(ok());
    return std::get_if<0>(&content_);
  }
  const T *value() const {
    assert(ok());
    return std::get_if<0>(&content_);
  }

  std::variant<T, Diagnostic> content_;
};

} // namespace plumbline
