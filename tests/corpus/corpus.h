// Access of tests to the files in this folder.
#pragma once

#include <string>
#include <vector>

namespace plumbline::testing {

// Paths of all corpus files whose path contains `part` and ends with `suffix`, sorted. Tests run where Bazel puts their
// data, so that the paths begin with "tests/corpus/".
std::vector<std::string> corpusFiles(const std::string &part, const std::string &suffix);

// The bytes of a file; fails the test if there is no such file.
std::string contentOf(const std::string &path);

} // namespace plumbline::testing
