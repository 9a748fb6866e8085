// The last lines of a run over several files: what was not verified, and how many files had which verdict.
#pragma once

#include "verifier/report/report.h"
#include "verifier/report/text.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline::report {

class Summary {
public:
  // Keeps a line for what is not verified, and counts the rest.
  void add(const Report &report);
  // A table of the files that are not verified, in the order in which they were added, and one of the verdicts with
  // their findings.
  void print(const TextStyle &style, llvm::raw_ostream &out) const;

private:
  struct Row {
    std::string file;
    const char *verdict;
    std::string why; // rules, the place that cannot be read, or the open questions
  };
  struct Count {
    std::size_t files = 0, errors = 0, warnings = 0;
  };

  std::vector<Row> rows_;
  Count counts_[4]; // by exit code
};

} // namespace plumbline::report
