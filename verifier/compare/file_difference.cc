#include "verifier/compare/file_difference.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace plumbline::compare {

llvm::StringRef name(FileStatus status) {
  static constexpr const char *names[] = {"compared", "unchanged", "renamed", "added", "removed"};
  return names[static_cast<std::size_t>(status)];
}

bool isBefore(Outcome a, Outcome b) { return a > b; }

void Totals::add(const FileDifference &file) {
  const Comparison &comparison = file.comparison;
  if (files_++ == 0)
    only_ = comparison.sentence;
  outcome_ = std::max(outcome_, comparison.outcome);
  ++statuses_[static_cast<std::size_t>(file.status)];
  if (file.status == FileStatus::removed)
    return;
  ++outcomes_[static_cast<std::size_t>(comparison.outcome)];
  stillRejected_ += comparison.outcome == Outcome::fine && report::verdictOf(*file.nextReport) == "rejected";
  better_ += comparison.outcome == Outcome::fine &&
             llvm::any_of(comparison.changes, [](const Change &c) { return c.grade == Grade::better; });
}

std::string Totals::sentence() const {
  if (files_ == 1 && statuses_[static_cast<std::size_t>(FileStatus::removed)] == 0)
    return only_;
  std::string text = outcome_ == Outcome::fine ? "not worse" : name(outcome_).str();
  text += ": of " + std::to_string(files_) + (files_ == 1 ? " file" : " files");
  const char *separator = " ";
  const auto add = [&](std::size_t count, const char *what) {
    if (count == 0)
      return;
    text += separator + std::to_string(count) + " " + what;
    separator = ", ";
  };
  const auto with = [&](Outcome outcome) { return outcomes_[static_cast<std::size_t>(outcome)]; };
  const auto of = [&](FileStatus status) { return statuses_[static_cast<std::size_t>(status)]; };
  add(with(Outcome::unusable), "cannot be judged");
  add(with(Outcome::worse), "worse");
  add(with(Outcome::undecided), "undecided");
  add(with(Outcome::fine) - better_, "not worse");
  add(better_, "better");
  text += ";";
  separator = " ";
  add(stillRejected_, "still rejected");
  add(of(FileStatus::unchanged), "unchanged");
  add(of(FileStatus::renamed), "renamed");
  add(of(FileStatus::added), "added");
  add(of(FileStatus::removed), "removed");
  return llvm::StringRef(text).rtrim(';').str();
}

} // namespace plumbline::compare
