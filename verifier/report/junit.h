// The reports of all files of a run as one JUnit XML document, for continuous integration (docs/report.md).
#pragma once

#include "verifier/report/report.h"

#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>
#include <vector>

namespace plumbline::report {

// What was expected of one file, and whether it came; others decide that.
struct Expected {
  bool met = false;
  std::string sentence;             // "expected PL401, got PL401 and PL501"
  bool invalid = false;             // the file should be unreadable
  bool undecided = false;           // questions should be left open
  std::vector<check::RuleId> rules; // these should have errors
};

// A test suite a file; in it a case `readable`, one a rule, and `decided`. With an expectation also a case `expected`,
// and a failure that was expected is a pass: nothing fails in the suite exactly if the expectation is met. Characters
// that XML 1.0 does not allow, and bytes that are not UTF-8, become U+FFFD.
class JunitDocument {
public:
  // Keeps the suite as text, and nothing of the report.
  void add(const Report &report, const std::optional<Expected> &expected);
  void print(llvm::raw_ostream &out) const;

private:
  std::string suites_;
  std::size_t tests_ = 0, failures_ = 0, errors_ = 0;
  double seconds_ = 0;
};

} // namespace plumbline::report
