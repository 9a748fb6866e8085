// What became of schedules, as one JSON object: schema plumbline.diff.v1 (docs/diff.md).
#pragma once

#include "verifier/compare/file_difference.h"

#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace plumbline::report {

class DifferenceJson {
public:
  // `base` and `next` are the two names on the command line.
  DifferenceJson(std::string base, std::string next, compare::Allowance allowance)
      : base_(std::move(base)), next_(std::move(next)), allowance_(std::move(allowance)) {}

  // Keeps the file as text, and nothing of its reports.
  void add(const compare::FileDifference &file);
  void print(const compare::Totals &totals, llvm::raw_ostream &out) const;

private:
  std::string base_, next_;
  compare::Allowance allowance_;
  std::vector<std::string> files_;
};

} // namespace plumbline::report
