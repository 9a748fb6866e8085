// Exit codes (DESIGN section 8).
#pragma once

#include <algorithm>

namespace plumbline::cli {

inline constexpr int verifiedCode = 0, rejectedCode = 1, unusableCode = 2, undecidedCode = 3;

// The code for several files: unreadable input outweighs a rejection, as then not everything was judged; a rejection
// outweighs an open question.
constexpr int worse(int a, int b) {
  constexpr int rank[] = {0, 2, 3, 1};
  return rank[a] >= rank[b] ? a : b;
}

} // namespace plumbline::cli
