// What became of schedules, as a comment for a merge request.
#pragma once

#include "verifier/compare/file_difference.h"

#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace plumbline::report {

// In characters: what GitHub takes for one comment is 65,536.
inline constexpr std::size_t mostMarkdown = 65'000;

class DifferenceMarkdown {
public:
  explicit DifferenceMarkdown(std::size_t most = mostMarkdown) : most_(most) {}

  // Keeps the file as text, and nothing of its reports.
  void add(const compare::FileDifference &file);
  // The verdict first, then the files, the worst first: a table of what got worse, with the rest and the findings
  // folded away. At most so many bytes; what does not fit is left out in whole pieces, details before tables, and
  // counted in a last line. The verdict is never cut.
  void print(const compare::Totals &totals, llvm::raw_ostream &out) const;

private:
  struct Part {
    compare::Outcome outcome;
    std::string table;                // what is seen
    std::vector<std::string> details; // what is folded away, a piece each
  };

  std::size_t most_;
  std::vector<Part> parts_;
};

} // namespace plumbline::report
