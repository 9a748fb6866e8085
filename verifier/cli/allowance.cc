#include "verifier/cli/allowance.h"

#include "verifier/cli/limits.h"

namespace plumbline::cli {

std::string setAllowedBuffers(llvm::StringRef text, compare::Allowance &allowance) {
  constexpr std::int32_t most = 1'000'000'000;
  if (text.getAsInteger(10, allowance.buffers) || allowance.buffers < 0 || allowance.buffers > most)
    return "--allow-buffers takes a number of buffers from 0 to 1000000000";
  return "";
}

std::string setAllowedBubble(llvm::StringRef text, compare::Allowance &allowance) {
  text.consume_back("%");
  const std::optional<check::Share> share = readShare(text.str() + "%");
  if (!share)
    return "--allow-bubble takes percentage points from 0 to 100, such as 1.5% or 1.5, with at most 16 digits after "
           "the point";
  allowance.bubble = *share;
  allowance.bubble.text = text.str();
  return "";
}

} // namespace plumbline::cli
