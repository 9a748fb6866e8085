// The versions of one file, for printing; and what all files of a run come to.
#pragma once

#include "verifier/compare/comparison.h"

#include <string>

namespace plumbline::compare {

enum class FileStatus : std::uint8_t { compared, unchanged, renamed, added, removed };
// The enumerator's name.
llvm::StringRef name(FileStatus status);

struct FileDifference {
  FileStatus status = FileStatus::compared; // unchanged, renamed: of equal content
  std::string name;                         // path below the folders, or the new file as it was named
  std::string base, next;                   // files as they were opened; empty where there is none
  // The judged versions; null where there is none. Of equal contents both are the same report.
  const report::Report *baseReport = nullptr, *nextReport = nullptr;
  Comparison comparison; // empty for a removed file
};

// How bad the new version is, for sorting: the worst first.
bool isBefore(Outcome a, Outcome b);

class Totals {
public:
  void add(const FileDifference &file);

  // That of the worst file; fine if there is none.
  [[nodiscard]] Outcome outcome() const { return outcome_; }
  [[nodiscard]] std::size_t files() const { return files_; }
  // "worse: 2 of 5 files worse, 1 better, 1 removed"; of a single pair its sentence.
  [[nodiscard]] std::string sentence() const;

private:
  Outcome outcome_ = Outcome::fine;
  std::size_t files_ = 0, better_ = 0, stillRejected_ = 0;
  std::size_t outcomes_[4] = {}; // files by outcome
  std::size_t statuses_[5] = {}; // files by status
  std::string only_;             // the sentence of the first file
};

} // namespace plumbline::compare
