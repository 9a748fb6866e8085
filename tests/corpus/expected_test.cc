// Judges every line of EXPECTED, and sees that every schedule of the frameworks has one.
#include "tests/corpus/corpus.h"
#include "tests/corpus/expectations.h"
#include "tests/judging/judging.h"

#include "llvm/ADT/STLExtras.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <set>

namespace plumbline {
namespace {

using testing::Expectation;

const std::string corpusFolder = "tests/corpus/";
const std::string tablePath = corpusFolder + "EXPECTED";

// All files that the table has to speak of, by their path in the corpus.
std::vector<std::string> frameworkFiles() {
  std::vector<std::string> files;
  for (const std::string &path : testing::corpusFiles("", "")) {
    const std::string file = path.substr(corpusFolder.size());
    if (file.find('/') != std::string::npos && !file.starts_with("field/"))
      files.push_back(file);
  }
  return files;
}

std::vector<Expectation> allCases() {
  return testing::expandPatterns(testing::readExpectations(tablePath), frameworkFiles());
}

// The folder of a line's file, with a slash at the end; empty if this machine does not have it.
std::string folderOf(const Expectation &e) {
  if (e.checkedIn)
    return corpusFolder;
  const char *extra = std::getenv("PLUMBLINE_EXTRA_CORPUS");
  return extra && *extra ? std::string(extra) + "/" : "";
}

class Expected : public ::testing::TestWithParam<Expectation> {};

TEST_P(Expected, IsWhatPlumblineSays) {
  const Expectation &e = GetParam();
  const std::string folder = folderOf(e);
  if (folder.empty())
    GTEST_SKIP() << "not checked in: " << e.file;
  cli::Settings settings = testing::settingsOf(e.arguments);
  const std::string path = folder + e.file;
  if (e.batches)
    settings.batches = path.substr(0, path.rfind('.')) + ".batches.csv";
  const report::Report report = cli::judge(path, settings);
  EXPECT_EQ(report::verdictOf(report), e.verdict) << tablePath << ':' << e.line << '\n' << testing::textOf(report);
  EXPECT_EQ(testing::rulesOf(report), e.rules) << tablePath << ':' << e.line << '\n' << testing::textOf(report);
  if (report.invalid) {
    EXPECT_GT(report.invalid->line, 0U) << report.invalid->message;
    EXPECT_FALSE(report.invalid->message.empty());
  }
}

std::string testName(const ::testing::TestParamInfo<Expectation> &info) {
  std::string name = info.param.file + (info.param.arguments.empty() ? "" : "_with_" + info.param.arguments);
  for (char &c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)))
      c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Expected, ::testing::ValuesIn(allCases()), testName);

TEST(Table, HasALineForEverySchedule) {
  std::set<std::string> named;
  for (const Expectation &e : testing::readExpectations(tablePath)) {
    if (e.isPattern() || !e.arguments.empty() || !e.checkedIn)
      continue;
    EXPECT_TRUE(named.insert(e.file).second) << "line " << e.line << ": " << e.file << " is named twice";
    if (e.batches)
      named.insert(e.file.substr(0, e.file.rfind('.')) + ".batches.csv");
  }
  const std::vector<std::string> files = frameworkFiles();
  for (const std::string &file : files)
    EXPECT_TRUE(named.contains(file)) << "no line of " << tablePath << " judges " << file;
  for (const std::string &file : named)
    EXPECT_TRUE(llvm::is_contained(files, file)) << "there is no " << file;
}

TEST(Table, GivesAReasonForWhatIsNotVerified) {
  for (const Expectation &e : testing::readExpectations(tablePath)) {
    EXPECT_TRUE(e.verdict == "verified" || e.verdict == "rejected" || e.verdict == "invalid") << "line " << e.line;
    EXPECT_EQ(e.rules.empty(), e.verdict != "rejected") << "line " << e.line;
    EXPECT_EQ(e.why.empty(), e.verdict == "verified") << "line " << e.line;
  }
}

} // namespace
} // namespace plumbline
