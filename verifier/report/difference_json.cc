#include "verifier/report/difference_json.h"

#include "verifier/report/json_parts.h"

#include "llvm/ADT/STLExtras.h"

namespace plumbline::report {
namespace {

using compare::Comparison;
using compare::Figure;
using compare::FileDifference;
using compare::Grade;
using llvm::json::OStream;

void printText(OStream &json, llvm::StringRef key, llvm::StringRef text) { json.attribute(key, utf8(text)); }

void printFigure(OStream &json, llvm::StringRef key, const Figure &figure) {
  if (figure.known())
    json.attribute(key, figure.value);
  else
    json.attribute(key, nullptr);
}

class FilePrinter {
public:
  FilePrinter(const FileDifference &file, OStream &json) : file_(file), comparison_(file.comparison), json_(json) {}

  void print() {
    printText(json_, "name", file_.name);
    json_.attribute("status", name(file_.status));
    const bool removed = file_.status == compare::FileStatus::removed;
    if (removed)
      json_.attribute("outcome", nullptr);
    else
      json_.attribute("outcome", name(comparison_.outcome));
    json_.attribute("summary", removed ? llvm::StringRef("removed") : llvm::StringRef(comparison_.sentence));
    printVersion("base", file_.base, file_.baseReport);
    printVersion("new", file_.next, file_.nextReport);
    printChanges("worse", Grade::worse);
    printChanges("undecided", Grade::undecided);
    printChanges("allowed", Grade::allowed);
    printChanges("better", Grade::better);
    printFindings();
    printFigures();
  }

private:
  // A file that was removed is not judged.
  void printVersion(llvm::StringRef key, llvm::StringRef file, const Report *report) {
    if (file.empty()) {
      json_.attribute(key, nullptr);
      return;
    }
    json_.attributeObject(key, [&] {
      printText(json_, "file", file);
      if (!report) {
        json_.attribute("verdict", nullptr);
        return;
      }
      json_.attribute("verdict", verdictOf(*report));
      json_.attribute("format", report->format);
      JsonParts parts(*report, json_);
      if (report->invalid) {
        parts.printError();
        return;
      }
      parts.printProgram();
      parts.printModel();
    });
  }

  void printChanges(llvm::StringRef key, Grade grade) {
    json_.attributeArray(key, [&] {
      for (const compare::Change &change : comparison_.changes)
        if (change.grade == grade)
          json_.object([&] {
            json_.attribute("kind", name(change.subject));
            printId(json_, "rank", change.rank);
            if (change.pool.empty())
              json_.attribute("pool", nullptr);
            else
              printText(json_, "pool", change.pool);
            printText(json_, "message", change.message);
          });
    });
  }

  void printFinding(const Report *report, std::uint32_t k) {
    JsonParts(*report, json_).printFinding(report->verification.findings[k]);
  }

  void printFindings() {
    const compare::FindingMatch &match = comparison_.findings;
    json_.attributeObject("findings", [&] {
      json_.attributeArray("new", [&] {
        for (const std::uint32_t k : match.added)
          json_.object([&] { printFinding(file_.nextReport, k); });
      });
      json_.attributeArray("fixed", [&] {
        for (const std::uint32_t k : match.fixed)
          json_.object([&] { printFinding(file_.baseReport, k); });
      });
      json_.attributeArray("moved", [&] {
        for (const compare::FindingPair &pair : match.moved)
          json_.object([&] {
            json_.attributeObject("base", [&] { printFinding(file_.baseReport, pair.base); });
            json_.attributeObject("new", [&] { printFinding(file_.nextReport, pair.next); });
          });
      });
      json_.attribute("kept", static_cast<std::int64_t>(match.kept.size()));
    });
    json_.attributeArray("not_compared", [&] {
      for (const compare::UncomparedRule &rule : comparison_.uncompared)
        json_.object([&] {
          json_.attribute("rule", nameOf(rule.rule));
          json_.attribute("base", static_cast<std::int64_t>(rule.base));
          json_.attribute("new", static_cast<std::int64_t>(rule.next));
        });
    });
  }

  void printFigures() {
    const compare::Figures &figures = comparison_.figures;
    json_.attributeArray("differences", [&] {
      for (const compare::SizeDifference &difference : figures.differences)
        json_.object([&] {
          printText(json_, "what", difference.what);
          json_.attribute("base", difference.before);
          json_.attribute("new", difference.after);
        });
    });
    json_.attributeArray("buffers", [&] {
      for (const compare::PoolFigures &pool : figures.pools)
        json_.object([&] { printPool(pool); });
    });
    json_.attributeObject("bubble", [&] {
      printBubbleOf("base", figures.bubble.base);
      printBubbleOf("new", figures.bubble.next);
    });
    json_.attributeArray("in_flight", [&] {
      for (const compare::RankFigures &rank : figures.ranks)
        json_.object([&] {
          printId(json_, "rank", rank.rank);
          printFigure(json_, "base", rank.mostInFlight.base);
          printFigure(json_, "new", rank.mostInFlight.next);
        });
    });
    json_.attributeArray("instructions", [&] {
      for (const compare::InstructionFigures &row : figures.instructions)
        json_.object([&] {
          printId(json_, "rank", row.rank);
          json_.attribute("opcode", plumbline::name(row.opcode));
          json_.attribute("base", static_cast<std::int64_t>(row.base));
          json_.attribute("new", static_cast<std::int64_t>(row.next));
        });
    });
  }

  void printPool(const compare::PoolFigures &pool) {
    const auto version = [&](llvm::StringRef key, bool there, Figure compare::Pair::*side) {
      if (!there) {
        json_.attribute(key, nullptr);
        return;
      }
      json_.attributeObject(key, [&] {
        printFigure(json_, "declared", pool.declared.*side);
        printFigure(json_, "least", pool.least.*side);
      });
    };
    printId(json_, "rank", pool.rank);
    printText(json_, "pool", pool.pool);
    version("base", pool.inBase, &compare::Pair::base);
    version("new", pool.inNext, &compare::Pair::next);
  }

  void printBubbleOf(llvm::StringRef key, const std::optional<check::Bubble> &bubble) {
    if (bubble)
      json_.attributeObject(key, [&] { printBubble(json_, *bubble); });
    else
      json_.attribute(key, nullptr);
  }

  const FileDifference &file_;
  const Comparison &comparison_;
  OStream &json_;
};

} // namespace

void DifferenceJson::add(const FileDifference &file) {
  std::string text;
  llvm::raw_string_ostream out(text);
  {
    OStream json(out);
    json.object([&] { FilePrinter(file, json).print(); });
  }
  out.flush();
  files_.push_back(std::move(text));
}

void DifferenceJson::print(const compare::Totals &totals, llvm::raw_ostream &out) const {
  {
    OStream json(out);
    json.object([&] {
      json.attribute("schema", "plumbline.diff.v1");
      printText(json, "base", base_);
      printText(json, "new", next_);
      json.attribute("outcome", name(totals.outcome()));
      json.attribute("summary", totals.sentence());
      json.attributeObject("allowed", [&] {
        json.attribute("buffers", allowance_.buffers);
        json.attribute("bubble_points", allowance_.bubble.text);
        json.attribute("warnings", allowance_.warnings);
      });
      json.attributeArray("files", [&] {
        for (const std::string &file : files_)
          json.rawValue(file);
      });
    });
  }
  out << '\n';
}

} // namespace plumbline::report
