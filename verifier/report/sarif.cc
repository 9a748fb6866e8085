#include "verifier/report/sarif.h"

#include "verifier/check/identity.h"
#include "verifier/ir/words.h"
#include "verifier/report/sarif_rules.h"
#include "verifier/report/source_lines.h"
#include "verifier/report/uri.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SHA256.h"

namespace plumbline::report {
namespace {

using check::Finding;
using check::Related;
using check::Severity;
using llvm::json::OStream;

std::string utf8(llvm::StringRef text) { return llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text); }

// A message's text (SARIF 2.1.0, section 3.11): braces are doubled, since single ones hold the number of an argument,
// and a blank keeps "](" from making a link.
std::string messageText(llvm::StringRef raw) {
  std::string result;
  for (const char c : utf8(raw)) {
    if (c == '(' && !result.empty() && result.back() == ']')
      result += ' ';
    result += c;
    if (c == '{' || c == '}')
      result += c;
  }
  return result;
}

void printMessage(OStream &json, llvm::StringRef raw) {
  json.attributeObject("message", [&] { json.attribute("text", messageText(raw)); });
}

std::string sha256(llvm::StringRef text) {
  return llvm::toHex(llvm::SHA256::hash(llvm::ArrayRef(text.bytes_begin(), text.size())), true);
}

// A place in the words of any source: of the program, or of a reader that could make none.
struct Place {
  llvm::StringRef file;
  std::uint32_t line = 0, column = 0;
  InstructionId instruction; // none: a rank, or the whole file
  RankId rank;
  StageId stage;
};

// What the log says of one file.
class FilePrinter {
public:
  explicit FilePrinter(const Report &report) : report_(report) {}

  void run() {
    if (report_.invalid)
      addInvalid(*report_.invalid);
    else
      addJudged();
  }

  [[nodiscard]] std::string artifact() const {
    std::string text;
    llvm::raw_string_ostream out(text);
    OStream json(out);
    json.object([&] {
      json.attributeObject("location", [&] { json.attribute("uri", uriOf(report_.file)); });
      json.attributeArray("roles", [&] { json.value("analysisTarget"); });
      json.attributeObject("properties", [&] { json.attribute("verdict", verdictOf(report_)); });
    });
    return text;
  }

  std::string results, notifications;

private:
  void addInvalid(const Diagnostic &error) {
    Place place;
    place.file = error.file;
    place.line = error.line;
    place.column = error.column;
    addUnjudged(invalidRule(), error.message, place, "invalid");
  }

  void addJudged() {
    const std::vector<Finding> &findings = report_.verification.findings;
    const std::vector<std::string> identities = check::identitiesOf(report_.program, findings);
    for (const std::string &note : report_.notes)
      addNotification("note", note, wholeFile(), nullptr);
    for (const auto &[finding, identity] : llvm::zip_equal(findings, identities))
      addFinding(finding, identity);
    for (const auto &dropped : report_.verification.dropped) {
      const SarifRule rule = sarifRule(dropped.rule);
      addNotification("note", counted(dropped.count, "more finding") + " of " + rule.id + " not shown", wholeFile(),
                      &rule);
    }
    for (const auto &[number, question] : llvm::enumerate(report_.verification.undecided))
      addUnjudged(undecidedRule(), question, wholeFile(), "undecided #" + std::to_string(number + 1));
  }

  // SARIF has the kind "open" for a question without an answer, but asks for level "none" with it, which viewers show
  // as little as a pass. So it fails a rule that says that every question is decided.
  void addUnjudged(const SarifRule &rule, llvm::StringRef message, const Place &place, llvm::StringRef identity) {
    addResult([&](OStream &json) {
      printRuleOf(json, rule);
      json.attribute("level", "error");
      printMessage(json, message);
      printPlaceOfResult(json, place);
      printFingerprint(json, identity);
    });
    addNotification("error", message, place, &rule);
  }

  void addFinding(const Finding &finding, llvm::StringRef identity) {
    addResult([&](OStream &json) {
      printRuleOf(json, sarifRule(finding.rule));
      json.attribute("level", nameOf(finding.severity));
      printMessage(json, finding.message);
      printPlaceOfResult(json, placeOf(finding));
      if (!finding.related.empty())
        json.attributeArray("relatedLocations", [&] { printRelated(json, finding.related); });
      if (!finding.cycle.empty())
        json.attributeArray("codeFlows", [&] { printCycle(json, finding.cycle); });
      printFingerprint(json, identity);
      printProperties(json, finding);
    });
  }

  // A fault of a schedule may lie in a file that says more about it, for example which messages are fused.
  void printPlaceOfResult(OStream &json, const Place &place) const {
    if (place.file != report_.file)
      json.attributeObject("analysisTarget", [&] { json.attribute("uri", uriOf(report_.file)); });
    json.attributeArray("locations", [&] { json.object([&] { printLocation(json, place); }); });
  }

  // Each has a number, so that no two are equal.
  void printRelated(OStream &json, llvm::ArrayRef<Related> related) const {
    for (const auto &[number, other] : llvm::enumerate(related))
      json.object([&, n = number, &step = other] {
        json.attribute("id", static_cast<std::int64_t>(n));
        printStep(json, step);
      });
  }

  void printCycle(OStream &json, llvm::ArrayRef<Related> cycle) const {
    json.object([&] {
      printMessage(json, "each step waits for the next, the last for the first");
      json.attributeArray("threadFlows", [&] {
        json.object([&] {
          json.attributeArray("locations", [&] {
            for (const Related &step : cycle)
              json.object([&] { json.attributeObject("location", [&] { printStep(json, step); }); });
          });
        });
      });
    });
  }

  void printStep(OStream &json, const Related &step) const {
    printLocation(json, placeOf(step.instruction));
    printMessage(json, step.message);
  }

  void printLocation(OStream &json, const Place &place) const {
    json.attributeObject("physicalLocation", [&] {
      json.attributeObject("artifactLocation", [&] { json.attribute("uri", uriOf(place.file)); });
      if (place.line > 0)
        json.attributeObject("region", [&] { printRegion(json, place); });
    });
    if (place.rank.valid())
      json.attributeArray("logicalLocations", [&] { json.object([&] { printLogical(json, place); }); });
  }

  void printRegion(OStream &json, const Place &place) const {
    const std::string word =
        place.instruction.valid() ? plumbline::nameOf(report_.program, place.instruction) : std::string();
    json.attribute("startLine", place.line);
    const std::optional<SourceRegion> region = linesOf(place.file).regionAt(place.line, place.column, word);
    if (!region)
      return;
    json.attribute("startColumn", static_cast<std::int64_t>(region->column));
    json.attribute("endColumn", static_cast<std::int64_t>(region->end));
    if (!region->text.empty() && region->text.size() <= longestSnippet)
      json.attributeObject("snippet", [&] { json.attribute("text", region->text); });
  }

  void printLogical(OStream &json, const Place &place) const {
    const std::string rank = "rank " + std::to_string(place.rank.value());
    if (!place.stage.valid()) {
      json.attribute("name", rank);
      json.attribute("kind", "rank");
      return;
    }
    const std::string stage = plumbline::nameOf(report_.program, place.stage);
    json.attribute("name", stage);
    json.attribute("fullyQualifiedName", rank + "/" + stage);
    json.attribute("kind", "stage");
  }

  void printFingerprint(OStream &json, llvm::StringRef identity) const {
    json.attributeObject("partialFingerprints", [&] {
      json.attribute("faultIdentity/v1", sha256(uriOf(report_.file) + "\n" + identity.str()));
    });
  }

  void printProperties(OStream &json, const Finding &finding) const {
    json.attributeObject("properties", [&] {
      const auto number = [&](const char *key, auto id) {
        if (id.valid())
          json.attribute(key, id.value());
      };
      number("rank", finding.rank);
      number("stage", finding.stage);
      number("microbatch", finding.microbatch);
      if (finding.instruction.valid())
        json.attribute("instruction", utf8(plumbline::nameOf(report_.program, finding.instruction)));
    });
  }

  static void printRuleOf(OStream &json, const SarifRule &rule) {
    json.attribute("ruleId", rule.id);
    json.attribute("ruleIndex", static_cast<std::int64_t>(rule.index));
  }

  void addNotification(llvm::StringRef level, llvm::StringRef message, const Place &place, const SarifRule *rule) {
    addElement(notifications, [&](OStream &json) {
      json.attribute("level", level);
      printMessage(json, message);
      json.attributeArray("locations", [&] { json.object([&] { printLocation(json, place); }); });
      if (rule)
        json.attributeObject("associatedRule", [&] {
          json.attribute("id", rule->id);
          json.attribute("index", static_cast<std::int64_t>(rule->index));
        });
    });
  }

  void addResult(llvm::function_ref<void(OStream &)> content) { addElement(results, content); }

  static void addElement(std::string &elements, llvm::function_ref<void(OStream &)> content) {
    if (!elements.empty())
      elements += ",\n";
    llvm::raw_string_ostream out(elements);
    OStream json(out);
    json.object([&] { content(json); });
  }

  [[nodiscard]] Place wholeFile() const {
    Place place;
    place.file = report_.file;
    return place;
  }

  [[nodiscard]] Place placeAt(SourceLocation location) const {
    Place place = wholeFile();
    if (!location.valid())
      return place;
    place.file = fileOf(report_.program, location);
    place.line = location.line;
    place.column = location.column;
    return place;
  }

  [[nodiscard]] Place placeOf(const Finding &finding) const {
    Place place = placeAt(finding.location);
    place.instruction = finding.instruction;
    place.rank = finding.rank;
    place.stage = finding.stage;
    return place;
  }

  [[nodiscard]] Place placeOf(InstructionId instruction) const {
    Place place = placeAt(report::placeOf(report_.program, instruction));
    if (!instruction.valid())
      return place;
    place.instruction = instruction;
    place.rank = report_.program.at(instruction).rank;
    place.stage = report_.program.at(instruction).stage;
    return place;
  }

  const SourceLines &linesOf(llvm::StringRef file) const {
    const auto [known, added] = lines_.try_emplace(file, llvm::StringRef());
    if (added)
      if (const auto text = report_.texts.find(file); text != report_.texts.end())
        known->second = SourceLines(text->second);
    return known->second;
  }

  static constexpr std::size_t longestSnippet = 200;

  const Report &report_;
  mutable llvm::StringMap<SourceLines> lines_; // of the report's texts, made when asked for
};

void append(std::string &elements, llvm::StringRef more) {
  if (!elements.empty() && !more.empty())
    elements += ",\n";
  elements += more;
}

void printElements(OStream &json, llvm::StringRef key, llvm::StringRef elements) {
  json.attributeArray(key, [&] {
    if (!elements.empty())
      json.rawValue([&](llvm::raw_ostream &out) { out << '\n' << elements << '\n'; });
  });
}

} // namespace

void SarifDocument::add(const Report &report) {
  FilePrinter printer(report);
  printer.run();
  append(results_, printer.results);
  append(notifications_, printer.notifications);
  if (uris_.insert(uriOf(report.file)).second)
    append(artifacts_, printer.artifact());
  successful_ &= !report.invalid && report.verification.undecided.empty();
}

void SarifDocument::print(llvm::raw_ostream &out) const {
  OStream json(out);
  json.object([&] {
    json.attribute("version", "2.1.0");
    json.attribute("$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
                              "sarif-schema-2.1.0.json");
    json.attributeArray("runs", [&] {
      json.object([&] {
        json.attributeObject("tool", [&] {
          json.attributeObject("driver", [&] {
            json.attribute("name", "Plumbline");
            json.attributeBegin("rules");
            printSarifRules(json);
            json.attributeEnd();
          });
        });
        json.attribute("columnKind", "utf16CodeUnits");
        json.attributeArray("invocations", [&] {
          json.object([&] {
            json.attribute("executionSuccessful", successful_);
            printElements(json, "toolExecutionNotifications", notifications_);
          });
        });
        printElements(json, "artifacts", artifacts_);
        printElements(json, "results", results_);
      });
    });
  });
  out << '\n';
}

} // namespace plumbline::report
