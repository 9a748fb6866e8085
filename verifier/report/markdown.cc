#include "verifier/report/markdown.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

#include <algorithm>

namespace plumbline::report {
namespace {

// The number of bytes of the character, in valid UTF-8.
std::size_t lengthOf(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

std::uint32_t codePointOf(llvm::StringRef character) {
  const auto byte = [&](std::size_t k) { return static_cast<std::uint32_t>(static_cast<unsigned char>(character[k])); };
  static constexpr std::uint32_t firstBits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  std::uint32_t point = byte(0) & firstBits[character.size()];
  for (std::size_t k = 1; k < character.size(); ++k)
    point = point << 6 | (byte(k) & 0x3f);
  return point;
}

// Characters that are not seen where they stand: controls, line and paragraph separators, marks of direction, what has
// no width, and tags.
bool isInvisible(std::uint32_t point) {
  struct Range {
    std::uint32_t first, last;
  };
  static constexpr Range ranges[] = {{0, 0x1f},        {0x7f, 0x9f},     {0xad, 0xad},      {0x61c, 0x61c},
                                     {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e},  {0x2060, 0x206f},
                                     {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};
  return llvm::any_of(ranges, [&](const Range &r) { return r.first <= point && point <= r.last; });
}

// Visible characters of valid UTF-8, and those in `kept`.
std::string visible(llvm::StringRef text, llvm::StringRef kept) {
  const std::string valid = llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text);
  std::string result;
  for (llvm::StringRef rest = valid; !rest.empty();) {
    const llvm::StringRef character = rest.take_front(lengthOf(rest.front()));
    rest = rest.drop_front(character.size());
    if (isInvisible(codePointOf(character)) && !kept.contains(character))
      result += '?';
    else
      result += character;
  }
  return result;
}

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
  const std::string whole = visible(text, "");
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
  const std::string shown = visible(text, "\n");
  const std::string fence(std::max<std::size_t>(longestFence(shown) + 1, 3), '`');
  return fence + "text\n" + shown + fence + "\n";
}

} // namespace plumbline::report
