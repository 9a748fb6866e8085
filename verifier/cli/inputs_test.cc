#include "verifier/cli/inputs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include "gtest/gtest.h"

#include <fstream>

#include <sys/stat.h>
#include <unistd.h>

namespace plumbline::cli {
namespace {

// A folder of its own, in which the test stands.
class InputsTest : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> folder;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("inputs", folder));
    ASSERT_FALSE(llvm::sys::fs::set_current_path(folder));
    for (const char *file : {"a/one.csv", "a/one.batches.csv", "a/b/two.pir", "a/b/notes.md", "a/.hidden/three.csv",
                             "a/lonely.batches.csv", "a/b/x[1].csv", "c/four.txt", "c/five.json"})
      make(file);
  }

  static void make(const std::string &file) {
    ASSERT_FALSE(llvm::sys::fs::create_directories(llvm::sys::path::parent_path(file)));
    std::ofstream(file) << "x";
  }

  using Names = std::vector<std::string>;

  static Names find(const Names &names, const InputRules &rules = {}) {
    Names found;
    for (const Input &input : findInputs(names, rules))
      found.push_back(input.file + (input.batches.empty() ? "" : " + " + input.batches) +
                      (input.wrong.empty() ? "" : ": " + input.wrong));
    return found;
  }
};

TEST_F(InputsTest, FilesAreTakenAsTheyAreNamed) {
  EXPECT_EQ(find({"a/one.csv", "none.csv", "-", "a/one.csv", "a/b/x[1].csv"}),
            (Names{"a/one.csv", "none.csv", "-", "a/one.csv", "a/b/x[1].csv"}));
  EXPECT_EQ(findInputs({"a/one.csv"}, {}).front().relative, "one.csv");
}

TEST_F(InputsTest, FoldersMeanTheirSchedulesWithTheirLaunches) {
  EXPECT_EQ(find({"a"}),
            (Names{"a/b/two.pir", "a/b/x[1].csv", "a/lonely.batches.csv", "a/one.csv + a/one.batches.csv"}));
  EXPECT_EQ(find({"a/", "c"}).size(), 6U);
  EXPECT_EQ(findInputs({"a"}, {}).front().relative, "b/two.pir");
  EXPECT_EQ(find({"a/one.csv", "a/b", "a"}),
            (Names{"a/one.csv", "a/b/two.pir", "a/b/x[1].csv", "a/lonely.batches.csv"}));
}

TEST_F(InputsTest, AFolderWithoutSchedulesIsAMistake) {
  make("d/readme.md");
  ASSERT_EQ(find({"d"}).size(), 1U);
  EXPECT_TRUE(llvm::StringRef(find({"d"}).front()).starts_with("d: holds no schedules"));
}

TEST_F(InputsTest, PatternsMeanWhatMatches) {
  EXPECT_EQ(find({"a/*.csv"}), (Names{"a/lonely.batches.csv", "a/one.csv + a/one.batches.csv"}));
  EXPECT_EQ(find({"**/*.json"}), (Names{"c/five.json"}));
  EXPECT_EQ(find({"?/*.txt", "c/*"}), (Names{"c/four.txt", "c/five.json"}));
  EXPECT_EQ(find({"*"}).size(), 6U); // folders that match mean what is in them
  EXPECT_EQ(find({"a/b/*.md"}), (Names{"a/b/notes.md"}));
  EXPECT_EQ(find({"z*.csv"}), (Names{"z*.csv: matches no file"}));
}

TEST_F(InputsTest, SomeAreLeftOut) {
  InputRules rules;
  rules.excluded = {"lonely*", "b"};
  EXPECT_EQ(find({"a"}, rules), (Names{"a/one.csv + a/one.batches.csv"}));
  rules.excluded = {"b/*.csv"};
  EXPECT_EQ(find({"a/**"}, rules),
            (Names{"a/b/notes.md", "a/b/two.pir", "a/lonely.batches.csv", "a/one.csv + a/one.batches.csv"}));
  rules.excluded = {"a"}; // not the folder that was named, nor what leads to it
  EXPECT_EQ(find({"a"}, rules).size(), 4U);
  rules.excluded = {"one.csv"}; // a file that is named is meant
  EXPECT_EQ(find({"a/one.csv"}, rules), (Names{"a/one.csv"}));
}

TEST_F(InputsTest, NamedFilesArePairedOnRequest) {
  InputRules rules;
  rules.pairBatches = true;
  EXPECT_EQ(find({"a/one.csv", "a/one.batches.csv", "a/lonely.batches.csv"}, rules),
            (Names{"a/one.csv + a/one.batches.csv", "a/lonely.batches.csv"}));
}

TEST_F(InputsTest, LinksToFoldersAreNotFollowed) {
  ASSERT_FALSE(llvm::sys::fs::create_link("..", "c/loop"));
  ASSERT_FALSE(llvm::sys::fs::create_link("nowhere", "c/broken.csv"));
  ASSERT_FALSE(llvm::sys::fs::create_link("four.txt", "c/link.txt"));
  EXPECT_EQ(find({"c"}), (Names{"c/broken.csv", "c/five.json", "c/four.txt", "c/link.txt"}));
}

TEST_F(InputsTest, WhatCannotBeReadIsNotPassedOver) {
  ASSERT_EQ(::mkfifo("c/pipe.csv", 0600), 0);
  ASSERT_FALSE(llvm::sys::fs::create_link("/dev/null", "c/null.txt"));
  ASSERT_FALSE(llvm::sys::fs::create_link("/dev/null", "c/ignored.md"));
  make("c/x.csv");
  ASSERT_EQ(::mkfifo("c/x.batches.csv", 0600), 0);
  const Names found = find({"c"});
  ASSERT_EQ(found.size(), 5U);
  EXPECT_TRUE(llvm::StringRef(found[2]).starts_with("c/null.txt: is a pipe"));
  EXPECT_TRUE(llvm::StringRef(found[3]).starts_with("c/pipe.csv: is a pipe"));
  EXPECT_TRUE(llvm::StringRef(found[4]).contains("c/x.batches.csv, which is no file"));
}

TEST_F(InputsTest, PathsThatAreTooLongAreNotPassedOver) {
  const std::string part(200, 'd');
  for (int depth = 0; depth < 24; ++depth) {
    ASSERT_EQ(::mkdir(part.c_str(), 0700), 0);
    ASSERT_EQ(::chdir(part.c_str()), 0);
  }
  for (int depth = 0; depth < 24; ++depth)
    ASSERT_EQ(::chdir(".."), 0);
  const Names found = find({"."});
  EXPECT_TRUE(llvm::any_of(found, [](llvm::StringRef f) { return f.contains("cannot be read"); }));
}

} // namespace
} // namespace plumbline::cli
