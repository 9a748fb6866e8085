#include "tests/corpus/expectations.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/GlobPattern.h"

#include "gtest/gtest.h"

#include <fstream>
#include <map>
#include <utility>

namespace plumbline::testing {
namespace {

using llvm::StringRef;

Expectation readLine(StringRef text, int number) {
  Expectation e;
  e.line = number;
  e.checkedIn = !text.consume_front("not checked in: ");
  llvm::SmallVector<StringRef, 5> columns;
  text.split(columns, '|');
  EXPECT_EQ(columns.size(), 5U) << "line " << number << " has not five columns";
  columns.resize(5);
  for (StringRef &column : columns)
    column = column.trim();
  e.file = columns[0].str();
  EXPECT_TRUE(columns[1] == "batches" || columns[1] == "-") << "line " << number;
  e.batches = columns[1] == "batches";
  e.arguments = columns[2] == "-" ? "" : columns[2].str();
  e.verdict = columns[3].str();
  llvm::SmallVector<StringRef, 4> rules;
  if (columns[4] != "-")
    llvm::SplitString(columns[4], rules);
  for (const StringRef rule : rules)
    e.rules.push_back(rule.str());
  EXPECT_TRUE(llvm::is_sorted(e.rules)) << "line " << number;
  return e;
}

bool fits(StringRef pattern, StringRef file) {
  // LLVM's globs let * stand for a slash too.
  if (pattern.count('/') != file.count('/'))
    return false;
  llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(pattern);
  if (!glob) {
    ADD_FAILURE() << pattern.str() << ": " << llvm::toString(glob.takeError());
    return false;
  }
  return glob->match(file);
}

} // namespace

std::vector<Expectation> readExpectations(const std::string &path) {
  std::vector<Expectation> lines;
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::vector<std::size_t> unexplained; // of the lines directly above
  std::string text;
  bool insideReason = false;
  for (int number = 1; std::getline(file, text); ++number) {
    const StringRef trimmed = StringRef(text).trim();
    if (StringRef(text).starts_with("    ")) {
      EXPECT_FALSE(unexplained.empty()) << "line " << number << " explains nothing";
      for (const std::size_t k : unexplained)
        lines[k].why += (lines[k].why.empty() ? "" : " ") + trimmed.str();
      insideReason = true;
      continue;
    }
    if (insideReason || trimmed.empty())
      unexplained.clear();
    insideReason = false;
    if (trimmed.empty() || trimmed.starts_with("#"))
      continue;
    lines.push_back(readLine(trimmed, number));
    if (lines.back().verdict != "verified")
      unexplained.push_back(lines.size() - 1);
  }
  return lines;
}

std::vector<Expectation> expandPatterns(const std::vector<Expectation> &lines, const std::vector<std::string> &files) {
  std::map<std::pair<std::string, std::string>, std::size_t> place;
  std::vector<Expectation> expanded;
  const auto put = [&](Expectation e) {
    const auto [entry, isNew] = place.try_emplace({e.file, e.arguments}, expanded.size());
    if (isNew)
      expanded.push_back(std::move(e));
    else
      expanded[entry->second] = std::move(e);
  };
  for (const Expectation &line : lines) {
    if (!line.isPattern()) {
      put(line);
      continue;
    }
    bool any = false;
    for (const std::string &file : files) {
      if (!fits(line.file, file))
        continue;
      any = true;
      Expectation e = line;
      e.file = file;
      e.batches = line.batches && llvm::is_contained(files, file.substr(0, file.rfind('.')) + ".batches.csv");
      put(std::move(e));
    }
    EXPECT_TRUE(any) << "line " << line.line << ": no file fits " << line.file;
  }
  return expanded;
}

} // namespace plumbline::testing
