// What `verify` makes of all files together: the exit code, also where the user expects another outcome than `verified`
// (--expect).
#pragma once

#include "verifier/report/junit.h"
#include "verifier/report/report.h"

#include <optional>
#include <string>
#include <vector>

namespace plumbline::cli {

// The outcome that every file should have.
struct Expectation {
  std::string verdict;              // as report::verdictOf says it
  std::vector<check::RuleId> rules; // if any: the rules with errors are exactly these; ascending, each once
};

// Reads a verdict, or a list of rules as "PL401,PL501". Returns an empty string, or what is wrong.
std::string readExpectation(llvm::StringRef text, std::optional<Expectation> &result);

// The decision about one file: is it as expected? A file that the options do not fit never is.
report::Expected compare(const Expectation &expectation, const report::Report &report);

// The outcome of a run, file after file.
class Outcome {
public:
  explicit Outcome(std::optional<Expectation> expectation) : expectation_(std::move(expectation)) {}

  // Counts a file in. Nothing is returned where nothing is expected.
  std::optional<report::Expected> add(const report::Report &report);

  // Without an expectation the worst code of all files. With one 0 if every file is as expected, else 1; but 2 if the
  // options do not fit some file.
  [[nodiscard]] int exitCode() const;
  // What was expected and what came, for the first file that is not as expected; empty if there is none.
  [[nodiscard]] std::string lastLine() const;

private:
  std::optional<Expectation> expectation_;
  int code_ = 0;
  bool misused_ = false;
  std::size_t files_ = 0, unexpected_ = 0;
  std::string firstFile_, firstSentence_;
};

} // namespace plumbline::cli
