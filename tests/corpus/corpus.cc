#include "tests/corpus/corpus.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace plumbline::testing {

std::vector<std::string> corpusFiles(const std::string &part, const std::string &suffix) {
  std::vector<std::string> paths;
  const auto options = std::filesystem::directory_options::follow_directory_symlink;
  for (const auto &entry : std::filesystem::recursive_directory_iterator("tests/corpus", options)) {
    const std::string path = entry.path().generic_string();
    if (!entry.is_directory() && path.ends_with(suffix) && path.find(part) != std::string::npos)
      paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string contentOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace plumbline::testing
