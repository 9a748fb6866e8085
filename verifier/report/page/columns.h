// A column of whole numbers as a short JSON string, so that a page with 200,000 instructions stays some megabytes.
#pragma once

#include <cstdint>
#include <string>

namespace plumbline::report {

// Numbers are written as the difference to the one before (the first: to 0), and each difference as in source maps: the
// sign in the lowest bit, then groups of five bits, the lowest first, each with a bit that says whether more follow, in
// the alphabet of Base64. script/columns.js reads them. Every number must keep within 53 bits, as JavaScript's do.
class Column {
public:
  void add(std::int64_t number);
  template <typename IdType> void addId(IdType id) { add(id.value()); } // -1 where there is none
  [[nodiscard]] const std::string &text() const { return text_; }

private:
  std::string text_;
  std::int64_t last_ = 0;
};

} // namespace plumbline::report
