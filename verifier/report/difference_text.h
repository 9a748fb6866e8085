// What became of schedules, for a terminal: new findings as compilers print them, then a table of what changed.
#pragma once

#include "verifier/compare/file_difference.h"
#include "verifier/report/text.h"

#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace plumbline::report {

// Keeps each file as text, and nothing of its reports.
class DifferenceText {
public:
  explicit DifferenceText(const TextStyle &style) : style_(style) {}

  void add(const compare::FileDifference &file);
  // The worst file first, those of equal outcome in the order in which they were added; the summary line last.
  void print(const compare::Totals &totals, llvm::raw_ostream &out) const;

private:
  struct Part {
    compare::Outcome outcome;
    std::string text;    // findings and table
    std::string summary; // a line
  };

  TextStyle style_;
  std::vector<Part> parts_;
};

// The findings that came and went, new ones with all their notes; at most 20 of each rule and kind. Why a version
// cannot be read, likewise.
void printFindingChanges(const compare::FileDifference &file, const TextStyle &style, llvm::raw_ostream &out);

} // namespace plumbline::report
