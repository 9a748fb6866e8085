// The table of tests/corpus/EXPECTED.
#pragma once

#include <string>
#include <vector>

namespace plumbline::testing {

struct Expectation {
  int line = 0;          // in the table
  bool checkedIn = true; // else the file lies elsewhere, under other licences
  std::string file;      // may be a pattern
  bool batches = false;  // with the file of its launches
  std::string arguments; // empty: none
  std::string verdict;
  std::vector<std::string> rules; // that errors name; sorted
  std::string why;                // for every verdict other than "verified"

  [[nodiscard]] bool isPattern() const { return file.find('*') != std::string::npos; }
};

// The lines of the table. A line that cannot be read fails the test.
std::vector<Expectation> readExpectations(const std::string &path);

// One for each (file, arguments): patterns replaced by the files that fit (of `files`), the last line that fits kept.
// The order is that of the table.
std::vector<Expectation> expandPatterns(const std::vector<Expectation> &lines, const std::vector<std::string> &files);

} // namespace plumbline::testing
