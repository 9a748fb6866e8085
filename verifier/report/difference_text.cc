#include "verifier/report/difference_text.h"

#include "verifier/report/difference_rows.h"
#include "verifier/report/excerpt.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>

namespace plumbline::report {
namespace {

using check::Finding;
using compare::Comparison;
using compare::FileDifference;
using compare::FileStatus;
using compare::Grade;
using compare::Outcome;

constexpr std::size_t mostOfRule = 20, mostRows = 60;

// Lets at most so many findings of each rule through, and counts the rest.
class Portion {
public:
  bool takes(const Finding &finding) { return ++counts_[finding.rule] <= mostOfRule; }

  void printRest(llvm::StringRef file, llvm::StringRef kind, llvm::raw_ostream &out) const {
    for (const auto &[rule, count] : counts_)
      if (count > mostOfRule)
        out << printable(file) << ": note: " << count - mostOfRule << " more " << kind << "of " << nameOf(rule)
            << " not shown\n";
  }

private:
  std::map<check::RuleId, std::size_t> counts_;
};

void printNew(const FileDifference &file, const TextStyle &style, llvm::raw_ostream &out) {
  const llvm::StringRef kind = file.comparison.alone ? "" : "new ";
  Portion portion;
  std::vector<const Finding *> shown;
  for (const std::uint32_t k : file.comparison.findings.added)
    if (const Finding &finding = file.nextReport->verification.findings[k]; portion.takes(finding))
      shown.push_back(&finding);
  printFindings(*file.nextReport, shown, style, out, kind);
  portion.printRest(file.next, kind, out);
}

void printMovedAndFixed(const FileDifference &file, const TextStyle &style, llvm::raw_ostream &out) {
  Portion moved, fixed;
  for (const compare::FindingPair &pair : file.comparison.findings.moved)
    if (const Finding &finding = file.nextReport->verification.findings[pair.next]; moved.takes(finding))
      printHeadline(*file.nextReport, finding, style, out, "moved ");
  moved.printRest(file.next, "moved ", out);
  for (const std::uint32_t k : file.comparison.findings.fixed)
    if (const Finding &finding = file.baseReport->verification.findings[k]; fixed.takes(finding))
      printHeadline(*file.baseReport, finding, style, out, "fixed ");
  fixed.printRest(file.base, "fixed ", out);
}

// A sentence whose first words, up to a colon, tell the outcome.
std::string coloredSentence(Outcome outcome, llvm::StringRef sentence, const TextStyle &style) {
  if (!style.color)
    return sentence.str();
  const char *code = outcome == Outcome::fine ? "32" : outcome == Outcome::undecided ? "33" : "31";
  const llvm::StringRef first = sentence.take_until([](char c) { return c == ':'; });
  return std::string("\x1b[1;") + code + "m" + first.str() + "\x1b[0m" + sentence.drop_front(first.size()).str();
}

class FilePrinter {
public:
  FilePrinter(const FileDifference &file, const TextStyle &style, llvm::raw_ostream &out)
      : file_(file), style_(style), out_(out) {}

  void print() {
    if (file_.status == FileStatus::removed)
      return;
    printFindingChanges(file_, style_, out_);
    for (const compare::SizeDifference &difference : file_.comparison.figures.differences)
      out_ << printable(file_.next) << ": note: not comparable one to one: " << printable(difference.what) << " "
           << difference.before << " -> " << difference.after << '\n';
    printRows();
  }

  void printSummary() {
    if (file_.status == FileStatus::removed) {
      out_ << printable(file_.base) << ": removed\n";
      return;
    }
    out_ << printable(file_.next) << ": ";
    if (file_.status == FileStatus::renamed)
      out_ << "renamed from " << printable(file_.base) << ": ";
    else if (file_.status != FileStatus::compared)
      out_ << name(file_.status) << ": ";
    out_ << coloredSentence(file_.comparison.outcome, file_.comparison.sentence, style_) << '\n';
  }

private:
  [[nodiscard]] std::string colored(Grade grade) const {
    const std::string text = name(grade).str();
    const char *code = grade == Grade::worse       ? "31"
                       : grade == Grade::undecided ? "33"
                       : grade == Grade::better    ? "32"
                                                   : nullptr;
    const std::string blanks(9 - text.size(), ' ');
    return style_.color && code ? std::string("\x1b[1;") + code + "m" + text + "\x1b[0m" + blanks : text + blanks;
  }

  void printRows() {
    const std::vector<DifferenceRow> rows = rowsOf(file_.comparison);
    std::size_t width = 0, number = 0;
    for (const DifferenceRow &row : rows)
      if (number++ < mostRows && !row.after.empty())
        width = std::max(width, labelOf(row).size());
    width = std::min<std::size_t>(width, 60);
    for (const DifferenceRow &row : llvm::ArrayRef(rows).take_front(mostRows)) {
      const std::string label = labelOf(row);
      out_ << "  " << colored(row.grade) << "  " << label;
      if (!row.after.empty())
        out_ << std::string(width - std::min(label.size(), width), ' ') << "  " << printable(row.before) << " -> "
             << printable(row.after);
      out_ << '\n';
    }
    if (rows.size() > mostRows)
      out_ << "  and " << rows.size() - mostRows << " more changes (--format json shows all)\n";
  }

  static std::string labelOf(const DifferenceRow &row) {
    const bool several = row.ranks.find_first_of("-,") != std::string::npos;
    return printable(row.what) +
           (row.ranks.empty() ? "" : std::string(several ? " on ranks " : " on rank ") + row.ranks);
  }

  const FileDifference &file_;
  const TextStyle &style_;
  llvm::raw_ostream &out_;
};

// A file that is as it was, and verified, is not worth a line of its own.
bool isWorthALine(const FileDifference &file) {
  return file.status != FileStatus::unchanged || file.comparison.outcome != Outcome::fine ||
         verdictOf(*file.nextReport) != "verified";
}

} // namespace

void printFindingChanges(const FileDifference &file, const TextStyle &style, llvm::raw_ostream &out) {
  if (file.baseReport && file.baseReport->invalid && file.baseReport != file.nextReport)
    printInvalidInput(*file.baseReport, style, out);
  if (!file.nextReport)
    return;
  if (file.nextReport->invalid) {
    printInvalidInput(*file.nextReport, style, out);
    return;
  }
  printNew(file, style, out);
  if (!file.comparison.alone)
    printMovedAndFixed(file, style, out);
}

void DifferenceText::add(const FileDifference &file) {
  Part part{file.comparison.outcome, "", ""};
  if (isWorthALine(file)) {
    llvm::raw_string_ostream text(part.text), summary(part.summary);
    FilePrinter(file, style_, text).print();
    FilePrinter(file, style_, summary).printSummary();
  }
  parts_.push_back(std::move(part));
}

void DifferenceText::print(const compare::Totals &totals, llvm::raw_ostream &out) const {
  std::vector<const Part *> sorted;
  for (const Part &part : parts_)
    sorted.push_back(&part);
  llvm::stable_sort(sorted, [](const Part *a, const Part *b) { return isBefore(a->outcome, b->outcome); });
  for (const Part *part : sorted)
    out << part->text << (parts_.size() > 1 ? part->summary : "");
  out << "plumbline diff: " << coloredSentence(totals.outcome(), totals.sentence(), style_) << '\n';
}

} // namespace plumbline::report
