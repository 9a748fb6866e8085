#include "verifier/report/page/columns.h"

namespace plumbline::report {

void Column::add(std::int64_t number) {
  constexpr char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::int64_t step = number - last_;
  last_ = number;
  std::uint64_t rest = step < 0 ? static_cast<std::uint64_t>(-step) * 2 + 1 : static_cast<std::uint64_t>(step) * 2;
  do {
    const std::uint64_t digit = rest % 32;
    rest /= 32;
    text_ += alphabet[digit + (rest > 0 ? 32 : 0)];
  } while (rest > 0);
}

} // namespace plumbline::report
