#include "verifier/report/text.h"

#include "verifier/report/excerpt.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

namespace plumbline::report {
namespace {

using check::Finding;
using check::Severity;

class TextPrinter {
public:
  TextPrinter(const Report &report, const TextStyle &style, llvm::raw_ostream &out, llvm::StringRef kind = "")
      : report_(report), style_(style), out_(out), kind_(kind) {}

  void print() {
    if (report_.invalid) {
      printInvalid(*report_.invalid);
      out_ << printable(report_.file) << ": " << colored(llvm::raw_ostream::RED, "invalid") << ": nothing was judged\n";
      return;
    }
    for (const std::string &note : report_.notes)
      out_ << printable(report_.file) << ": " << colored(llvm::raw_ostream::CYAN, "note") << ": " << note << '\n';
    for (const Finding &finding : report_.verification.findings)
      printFinding(finding);
    for (const auto &dropped : report_.verification.dropped)
      out_ << printable(report_.file) << ": note: " << dropped.count << " more of " << nameOf(dropped.rule)
           << " not shown\n";
    for (const std::string &question : report_.verification.undecided)
      out_ << printable(report_.file) << ": " << colored(llvm::raw_ostream::YELLOW, "undecided") << ": " << question
           << '\n';
    printSummary();
  }

  void printFinding(const Finding &finding) {
    if (finding.severity == Severity::warning && !finding.cycle.empty()) {
      printBriefly(finding);
      return;
    }
    printHead(finding);
    excerpt(finding.location);
    for (const auto &[k, step] : llvm::enumerate(finding.cycle))
      printRelated(step, (k == 0 ? "" : "and ") + step.message +
                             (k + 1 == finding.cycle.size() ? ", which closes the cycle" : ""));
    for (const check::Related &related : finding.related)
      printRelated(related, related.message);
    if (explained_.insert(static_cast<unsigned>(finding.rule)).second)
      if (const check::Rule *rule = check::findRule(static_cast<unsigned>(finding.rule)))
        out_ << "  " << colored(llvm::raw_ostream::GREEN, "help") << ": " << rule->remedy << " (plumbline rules "
             << nameOf(finding.rule) << ")\n";
  }

  void printHead(const Finding &finding) {
    printPlace(finding.location);
    out_ << kind_ << label(finding.severity) << ": " << printable(finding.message) << " [" << nameOf(finding.rule)
         << "]\n";
  }

  void printInvalid(const Diagnostic &error) {
    out_ << placeText(error.file, error.line, error.column) << ": " << label(Severity::error) << ": "
         << printable(error.message) << '\n';
    if (const auto text = report_.texts.find(error.file); text != report_.texts.end() && error.line > 0)
      printExcerpt(text->second, error.line, error.column, style_.width, out_);
  }

private:
  std::string colored(llvm::raw_ostream::Colors color, llvm::StringRef text) const {
    if (!style_.color)
      return text.str();
    static constexpr const char *codes[] = {"30", "31", "32", "33", "34", "35", "36", "37"};
    return "\x1b[1;" + std::string(codes[static_cast<int>(color)]) + "m" + text.str() + "\x1b[0m";
  }

  std::string label(Severity severity) const {
    return colored(severity == Severity::error     ? llvm::raw_ostream::RED
                   : severity == Severity::warning ? llvm::raw_ostream::MAGENTA
                                                   : llvm::raw_ostream::CYAN,
                   nameOf(severity));
  }

  std::string placeText(llvm::StringRef file, std::uint32_t line, std::uint32_t column) const {
    std::string text = printable(file);
    if (line > 0)
      text += ":" + std::to_string(line) + ":" + std::to_string(column);
    return text;
  }

  void printPlace(SourceLocation location) {
    if (location.valid())
      out_ << placeText(fileOf(report_.program, location), location.line, location.column) << ": ";
    else
      out_ << printable(report_.file) << ": ";
  }

  void excerpt(SourceLocation location) {
    if (!location.valid() || location == shown_)
      return;
    shown_ = location;
    if (const auto text = report_.texts.find(fileOf(report_.program, location)); text != report_.texts.end())
      printExcerpt(text->second, location.line, location.column, style_.width, out_);
  }

  // A warning about first use is common and its cycle long: one line, and the first step as the reason.
  void printBriefly(const Finding &finding) {
    printPlace(finding.location);
    out_ << kind_ << label(finding.severity) << ": " << printable(finding.message) << ": "
         << printable(finding.cycle.front().message) << " (1 of " << finding.cycle.size()
         << " steps; --strict shows all) [" << nameOf(finding.rule) << "]\n";
  }

  void printRelated(const check::Related &related, const std::string &message) {
    const SourceLocation place = placeOf(report_.program, related.instruction);
    if (place.valid())
      printPlace(place);
    else
      out_ << "  ";
    out_ << label(Severity::note) << ": " << printable(message) << '\n';
    excerpt(place);
  }

  void printSummary() {
    const auto count = [&](Severity severity) {
      std::size_t n = static_cast<std::size_t>(
          llvm::count_if(report_.verification.findings, [&](const Finding &f) { return f.severity == severity; }));
      return n;
    };
    std::size_t more = 0;
    for (const auto &dropped : report_.verification.dropped)
      more += dropped.count;
    const std::size_t errors = count(Severity::error), warnings = count(Severity::warning);
    const llvm::StringRef verdict = verdictOf(report_);
    out_ << printable(report_.file) << ": "
         << colored(verdict == "verified"   ? llvm::raw_ostream::GREEN
                    : verdict == "rejected" ? llvm::raw_ostream::RED
                                            : llvm::raw_ostream::YELLOW,
                    verdict);
    const char *separator = ": ";
    const auto part = [&](std::size_t n, const char *what) {
      if (n == 0)
        return;
      out_ << separator << n << ' ' << what << (n == 1 ? "" : "s");
      separator = ", ";
    };
    part(errors, "error");
    part(warnings, "warning");
    if (more > 0)
      out_ << separator << more << " not shown";
    out_ << " (" << report_.format << ", " << name(report_.program.mode);
    size(report_.program.rankCount(), "rank");
    size(report_.program.stageCount(), "stage");
    size(report_.program.microbatches, "microbatch");
    if (report_.program.replicas > 1)
      out_ << " in each of " << report_.program.replicas << " replicas";
    size(static_cast<std::int64_t>(report_.program.instructions.size()), "instruction");
    out_ << "; model " << modelText();
    if (report_.seconds)
      out_ << "; " << llvm::format("%.2f", *report_.seconds) << " s";
    out_ << ")\n";
  }

  void size(std::int64_t n, llvm::StringRef noun) {
    out_ << ", " << n << ' ' << noun << (n == 1 ? "" : noun.ends_with("ch") ? "es" : "s");
  }

  // The model's name, and every switch that is not at its default or that matters for it.
  [[nodiscard]] std::string modelText() const {
    const model::Options &o = report_.model;
    const ModelWords words = wordsOf(o);
    std::string text = words.name;
    if (o.kind != model::Kind::blocking)
      text += ", comms " + words.comms;
    if (o.roomBytes >= 0) // takes the place of room
      text += ", room-bytes " + std::to_string(o.roomBytes);
    else if (o.kind != model::Kind::blocking || o.room > 0)
      text += ", room " + words.room;
    if (o.grouping != model::Grouping::given)
      text += ", group " + words.group;
    if (o.wait != model::Wait::use)
      text += ", wait " + words.wait;
    if (o.connect != model::Connect::ready)
      text += ", connect " + words.connect;
    if (o.plan > 0)
      text += ", plan " + std::to_string(o.plan);
    if (o.streams != model::Streams::independent)
      text += ", streams " + words.streams;
    return text;
  }

  const Report &report_;
  const TextStyle &style_;
  llvm::raw_ostream &out_;
  llvm::StringRef kind_; // before the severity of each finding
  llvm::DenseSet<unsigned> explained_;
  SourceLocation shown_; // the place of the last excerpt, which needs no second one below it
};

} // namespace

void printText(const Report &report, const TextStyle &style, llvm::raw_ostream &out) {
  TextPrinter(report, style, out).print();
}

void printFindings(const Report &report, llvm::ArrayRef<const Finding *> findings, const TextStyle &style,
                   llvm::raw_ostream &out, llvm::StringRef kind) {
  TextPrinter printer(report, style, out, kind);
  for (const Finding *finding : findings)
    printer.printFinding(*finding);
}

void printHeadline(const Report &report, const Finding &finding, const TextStyle &style, llvm::raw_ostream &out,
                   llvm::StringRef kind) {
  TextPrinter(report, style, out, kind).printHead(finding);
}

void printInvalidInput(const Report &report, const TextStyle &style, llvm::raw_ostream &out) {
  TextPrinter(report, style, out).printInvalid(*report.invalid);
}

void printSlots(const Report &report, llvm::raw_ostream &out) {
  out << printable(report.file) << ":\n";
  out << "  rank  pool                declared  least\n";
  for (const check::SlotCount &count : report.verification.slots) {
    const Pool &pool = report.program.pools[static_cast<std::size_t>(count.pool.value())];
    const std::string declared = count.declared < 0 ? "-" : std::to_string(count.declared);
    const std::string least = count.least < 0 ? "?" : std::to_string(count.least);
    out << llvm::format("%6d  %-18s %9s %6s\n", count.rank.value(), printable(pool.name).c_str(), declared.c_str(),
                        least.c_str());
  }
  if (report.verification.slots.empty())
    out << "  (none counted: "
        << (report.program.pools.empty() ? "the input has no slots" : "the program cannot finish") << ")\n";
}

} // namespace plumbline::report
