#include "verifier/report/summary.h"

#include "verifier/report/excerpt.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <algorithm>

namespace plumbline::report {
namespace {

constexpr int verified = 0, rejected = 1, invalid = 2, undecided = 3; // exitCodeOf

std::string whyOf(const Report &report) {
  if (report.invalid) {
    const Diagnostic &error = *report.invalid;
    const std::string place = error.line == 0 ? "" : "line " + std::to_string(error.line) + ": ";
    return printable(place + error.message);
  }
  std::vector<std::string> words;
  for (const check::RuleId rule : brokenRules(report))
    words.push_back(nameOf(rule));
  return words.empty() ? printable(llvm::join(report.verification.undecided, "; ")) : llvm::join(words, " ");
}

} // namespace

void Summary::add(const Report &report) {
  const int code = exitCodeOf(report);
  Count &count = counts_[code];
  ++count.files;
  for (const check::Finding &finding : report.verification.findings) {
    count.errors += finding.severity == check::Severity::error;
    count.warnings += finding.severity == check::Severity::warning;
  }
  const std::vector<check::RuleId> broken = brokenRules(report);
  for (const auto &dropped : report.verification.dropped)
    (std::find(broken.begin(), broken.end(), dropped.rule) != broken.end() ? count.errors : count.warnings) +=
        dropped.count;
  if (code != verified)
    rows_.push_back({printable(report.file), verdictOf(report).data(), whyOf(report)});
}

void Summary::print(const TextStyle &style, llvm::raw_ostream &out) const {
  out << '\n';
  std::size_t width = 0;
  for (const Row &row : rows_)
    width = std::max(width, std::min<std::size_t>(row.file.size(), 60));
  for (const Row &row : rows_)
    out << llvm::left_justify(row.verdict, 10) << ' ' << llvm::left_justify(row.file, static_cast<unsigned>(width))
        << "  " << (row.why.size() > style.width ? row.why.substr(0, style.width) + "..." : row.why) << '\n';
  if (!rows_.empty())
    out << '\n';
  out << "verdict      files  errors  warnings\n";
  Count total;
  const auto line = [&](const char *name, const Count &count) {
    out << llvm::format("%-10s %7zu %7zu %9zu\n", name, count.files, count.errors, count.warnings);
  };
  constexpr std::pair<const char *, int> order[] = {
      {"invalid", invalid}, {"rejected", rejected}, {"undecided", undecided}, {"verified", verified}};
  for (const auto &[name, code] : order) {
    const Count &count = counts_[code];
    if (count.files > 0)
      line(name, count);
    total.files += count.files;
    total.errors += count.errors;
    total.warnings += count.warnings;
  }
  line("all", total);
}

} // namespace plumbline::report
