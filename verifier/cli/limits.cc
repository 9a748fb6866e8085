#include "verifier/cli/limits.h"

#include "llvm/ADT/StringExtras.h"

namespace plumbline::cli {
namespace {

constexpr std::size_t mostDigits = 18; // of a whole; see check::Share

bool areDigits(llvm::StringRef text) { return llvm::all_of(text, llvm::isDigit); }

} // namespace

// A decimal number as parts of a power of ten; a percentage has a hundredth of them. Nothing if it is none, or above 1.
std::optional<check::Share> readShare(llvm::StringRef text) {
  check::Share share;
  share.text = text.str();
  const bool percentage = text.consume_back("%");
  auto [integer, fraction] = text.split('.');
  if ((integer.empty() && fraction.empty()) || !areDigits(integer) || !areDigits(fraction))
    return std::nullopt;
  integer = integer.ltrim('0');
  const std::size_t places = fraction.size() + (percentage ? 2 : 0);
  if (integer.size() > 3 || places > mostDigits)
    return std::nullopt;
  for (std::size_t k = 0; k < places; ++k)
    share.whole *= 10;
  if (const std::string digits = (integer + fraction).str(); !digits.empty())
    if (llvm::StringRef(digits).getAsInteger(10, share.parts)) // beyond 64 bits, so above 1
      return std::nullopt;
  return share.parts <= share.whole ? std::optional(share) : std::nullopt;
}

std::string addBufferLimit(llvm::StringRef text, check::Limits &limits) {
  constexpr std::int32_t most = 1'000'000'000;
  check::SlotLimit limit;
  const auto [pool, number] = text.rsplit('=');
  const bool named = text.contains('=');
  limit.pool = named ? pool.str() : "";
  if ((named && pool.empty()) || (named ? number : text).getAsInteger(10, limit.most) || limit.most < 0 ||
      limit.most > most)
    return "--max-buffers takes N or POOL=N, where N is a number of buffers from 0 to 1000000000";
  limits.slots.push_back(limit);
  return "";
}

std::string setBubbleLimit(llvm::StringRef text, check::Limits &limits) {
  limits.bubble = readShare(text);
  return limits.bubble ? ""
                       : "--max-bubble takes a fraction from 0 to 1, such as 0.125, or a percentage from 0% to 100%, "
                         "such as 12.5%, with at most 18 digits after the point";
}

} // namespace plumbline::cli
