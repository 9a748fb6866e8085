#include "verifier/report/difference_markdown.h"

#include "verifier/report/difference_rows.h"
#include "verifier/report/difference_text.h"
#include "verifier/report/markdown.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace plumbline::report {
namespace {

using compare::FileDifference;
using compare::FileStatus;
using compare::Grade;
using compare::Outcome;

constexpr std::size_t mostRows = 30; // of one table
constexpr std::size_t mostDetail = 20'000;
constexpr std::size_t lastLine = 300; // kept free for what is left out

bool isGrave(const DifferenceRow &row) { return row.grade == Grade::worse || row.grade == Grade::undecided; }

// Words of ours need no code span, which all else gets.
std::string cellOf(const std::string &what) {
  const bool plain = what.size() < 40 && llvm::all_of(what, [](char c) { return c == ' ' || llvm::isAlnum(c); });
  return plain ? what : codeSpan(what);
}

// A table of some rows; empty without any.
std::string tableOf(llvm::ArrayRef<DifferenceRow> rows) {
  if (rows.empty())
    return "";
  std::string text = "| | what | ranks | before | now |\n|---|---|---|---|---|\n";
  for (const DifferenceRow &row : rows.take_front(mostRows))
    text += "| " + name(row.grade).str() + " | " + cellOf(row.what) + " | " + row.ranks + " | " + row.before + " | " +
            row.after + " |\n";
  if (rows.size() > mostRows)
    text += "\nAnd " + std::to_string(rows.size() - mostRows) + " more rows.\n";
  return text;
}

std::string folded(const std::string &summary, const std::string &content) {
  return "<details><summary>" + summary + "</summary>\n\n" + content + "\n</details>\n\n";
}

// Whole lines of the text, with a word about the others.
std::string firstLines(llvm::StringRef text) {
  if (text.size() <= mostDetail)
    return text.str();
  const std::size_t end = text.rfind('\n', mostDetail);
  const llvm::StringRef part = end == llvm::StringRef::npos ? "" : text.take_front(end + 1);
  return part.str() + "... and " + std::to_string(text.drop_front(part.size()).count('\n')) + " more lines\n";
}

std::string statusOf(const FileDifference &file) {
  if (file.status == FileStatus::renamed)
    return ", renamed from " + codeSpan(file.base);
  return file.status == FileStatus::compared ? "" : ", " + name(file.status).str();
}

std::string visibleOf(const FileDifference &file, llvm::ArrayRef<DifferenceRow> grave) {
  if (file.status == FileStatus::removed)
    return codeSpan(file.name) + " removed\n\n";
  std::string text = "**" + codeSpan(file.name) + "**" + statusOf(file) + ": " + file.comparison.sentence + "\n\n";
  for (const compare::SizeDifference &difference : file.comparison.figures.differences)
    text += "Not comparable one to one: " + cellOf(difference.what) + " " + difference.before + " before, " +
            difference.after + " now.\n\n";
  const std::string table = tableOf(grave);
  return text + table + (table.empty() ? "" : "\n");
}

// "13 new findings, 1 fixed"
std::string findingsTitle(const FileDifference &file) {
  const compare::FindingMatch &match = file.comparison.findings;
  std::string text;
  const auto add = [&](std::size_t count, const char *kind) {
    if (count > 0)
      text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + kind;
  };
  add(match.added.size(), "new");
  add(match.moved.size(), "moved");
  add(match.fixed.size(), "fixed");
  return text.empty() ? "What cannot be read" : "Findings: " + text;
}

std::vector<std::string> detailsOf(const FileDifference &file, llvm::ArrayRef<DifferenceRow> others) {
  std::vector<std::string> details;
  std::string findings;
  llvm::raw_string_ostream out(findings);
  printFindingChanges(file, TextStyle(), out);
  out.flush();
  if (!findings.empty())
    details.push_back(folded(findingsTitle(file), codeBlock(firstLines(findings))));
  if (!others.empty())
    details.push_back(folded("What else changed", tableOf(others)));
  return details;
}

// Hands out what is left of the length.
class Room {
public:
  explicit Room(std::size_t size) : left_(size) {}

  // True if the text fits, which is then counted.
  bool takes(llvm::StringRef text) {
    if (text.size() > left_)
      return false;
    left_ -= text.size();
    return true;
  }

private:
  std::size_t left_;
};

std::string leftOut(std::size_t tables, std::size_t details) {
  std::string text = "Left out, since a comment can be so long and no longer:";
  if (tables > 0)
    text += " " + std::to_string(tables) + (tables == 1 ? " file" : " files");
  if (details > 0)
    text += std::string(tables > 0 ? " and" : "") + " the details of " + std::to_string(details) +
            (details == 1 ? " piece" : " pieces");
  return text + ". `plumbline diff` in a terminal shows more.\n";
}

} // namespace

void DifferenceMarkdown::add(const FileDifference &file) {
  if (file.status == FileStatus::unchanged && file.comparison.outcome == Outcome::fine)
    return;
  std::vector<DifferenceRow> grave, others;
  for (DifferenceRow &row : rowsOf(file.comparison))
    (isGrave(row) ? grave : others).push_back(std::move(row));
  parts_.push_back({file.comparison.outcome, visibleOf(file, grave), detailsOf(file, others)});
}

void DifferenceMarkdown::print(const compare::Totals &totals, llvm::raw_ostream &out) const {
  std::vector<const Part *> sorted;
  for (const Part &part : parts_)
    sorted.push_back(&part);
  llvm::stable_sort(sorted, [](const Part *a, const Part *b) { return isBefore(a->outcome, b->outcome); });
  const std::string verdict = "**Plumbline: " + totals.sentence() + "**\n\n";
  Room room(most_ > verdict.size() + lastLine ? most_ - verdict.size() - lastLine : 0);
  std::size_t tables = 0, details = 0; // left out
  std::vector<std::string> texts;
  texts.reserve(sorted.size());
  for (const Part *part : sorted) // what is seen comes before what is folded away, of all files
    texts.push_back(room.takes(part->table) ? part->table : (++tables, ""));
  for (std::size_t k = 0; k < sorted.size(); ++k)
    for (const std::string &detail : sorted[k]->details)
      if (!texts[k].empty() && room.takes(detail))
        texts[k] += detail;
      else
        ++details;
  out << verdict;
  for (const std::string &text : texts)
    out << text;
  if (tables + details > 0)
    out << leftOut(tables, details);
}

} // namespace plumbline::report
