#include "verifier/report/markdown.h"

#include "verifier/report/excerpt.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace plumbline::report {
namespace {

std::size_t longestFence(llvm::StringRef text) {
  std::size_t longest = 0, here = 0;
  for (const char c : text) {
    here = c == '`' ? here + 1 : 0;
    longest = std::max(longest, here);
  }
  return longest;
}

// At most so many bytes, in whole characters.
llvm::StringRef firstBytes(llvm::StringRef valid, std::size_t most) {
  if (valid.size() <= most)
    return valid;
  while (most > 0 && (static_cast<unsigned char>(valid[most]) & 0xc0) == 0x80)
    --most;
  return valid.take_front(most);
}

} // namespace

std::string codeSpan(llvm::StringRef text, std::size_t most) {
  const std::string whole = printable(text);
  const llvm::StringRef part = firstBytes(whole, most);
  std::string shown;
  for (const char c : part)
    if (c == '|')
      shown += "\u00a6";
    else
      shown += c;
  if (part.size() < whole.size())
    shown += "\u2026";
  if (shown.empty())
    return "(empty)";
  const std::string fence(longestFence(shown) + 1, '`');
  // One blank at each end is taken away again, so that none of the text is, nor joins the fence; but not where all is
  // blank.
  const bool blank = shown.find_first_not_of(' ') == std::string::npos;
  return blank ? fence + shown + fence : fence + " " + shown + " " + fence;
}

std::string codeBlock(llvm::StringRef text) {
  std::string shown;
  for (const llvm::StringRef line : llvm::split(text.drop_back(text.ends_with("\n")), '\n'))
    shown += printable(line) + '\n';
  const std::string fence(std::max<std::size_t>(longestFence(shown) + 1, 3), '`');
  return fence + "text\n" + shown + fence + "\n";
}

} // namespace plumbline::report
