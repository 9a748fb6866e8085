#include "verifier/report/sarif_rules.h"

#include "verifier/report/report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace plumbline::report {
namespace {

using check::Rule;
using check::RuleId;
using llvm::json::OStream;

// "a slot is read before its value is there" -> "SlotIsReadBeforeItsValueIsThere"
std::string pascalCase(llvm::StringRef title) {
  for (const llvm::StringRef article : {"a ", "an ", "the "})
    title.consume_front(article);
  std::string result;
  bool begins = true;
  for (const char c : title) {
    if (c == '\'')
      continue;
    if (llvm::isAlnum(c))
      result += begins ? llvm::toUpper(c) : c;
    begins = !llvm::isAlnum(c);
  }
  return result;
}

std::string sentence(llvm::StringRef title) { return llvm::toUpper(title.front()) + title.drop_front().str() + "."; }

void printText(OStream &json, llvm::StringRef key, llvm::StringRef text) {
  json.attributeObject(key, [&] { json.attribute("text", text); });
}

std::string judgedWith(const Rule &rule) { return std::string("plumbline verify ") + rule.arguments; }

std::string helpText(const Rule &rule) {
  std::string text = std::string(rule.meaning) + "\n\n" + rule.remedy + "\n\n";
  if (*rule.arguments != '\0')
    text += "Judged with: " + judgedWith(rule) + "\n\n";
  return text + "Breaks it:\n" + rule.failing + "\nKeeps it:\n" + rule.passing;
}

std::string helpMarkdown(const Rule &rule) {
  std::string text = std::string(rule.meaning) + "\n\n**What to do:** " + rule.remedy + "\n\n";
  if (*rule.arguments != '\0')
    text += "Judged with `" + judgedWith(rule) + "`.\n\n";
  return text + "Breaks it:\n\n```\n" + rule.failing + "```\n\nKeeps it:\n\n```\n" + rule.passing + "```\n";
}

// Braces stay single: with no arguments there is nothing to put in their place, and viewers show help as it is.
void printRule(OStream &json, const Rule &rule) {
  json.object([&] {
    json.attribute("id", nameOf(rule.id));
    json.attribute("name", pascalCase(rule.title));
    printText(json, "shortDescription", sentence(rule.title));
    printText(json, "fullDescription", rule.meaning);
    json.attributeObject("help", [&] {
      json.attribute("text", helpText(rule));
      json.attribute("markdown", helpMarkdown(rule));
    });
    json.attributeObject("defaultConfiguration", [&] { json.attribute("level", nameOf(rule.severity)); });
  });
}

struct OwnRule {
  const char *id, *name, *title, *meaning, *remedy;
};

constexpr OwnRule invalid = {
    "invalid", "FileCannotBeRead", "A file cannot be read.",
    "The file cannot be opened or read as a schedule, or an option does not fit it. Nothing in it was judged.",
    "Mend the file at the place that is named, or correct the command line."};
constexpr OwnRule undecided = {"undecided", "QuestionIsLeftOpen", "A question is left open.",
                               "No answer was found to a question, for example in the time that was given. The "
                               "schedule may be wrong in a way that "
                               "no result names. An open question is never a pass, so it counts as an error here.",
                               "Give more time (--timeout), or ask about a smaller schedule of the same kind."};

void printRule(OStream &json, const OwnRule &rule) {
  json.object([&] {
    json.attribute("id", rule.id);
    json.attribute("name", rule.name);
    printText(json, "shortDescription", rule.title);
    printText(json, "fullDescription", rule.meaning);
    json.attributeObject("help", [&] {
      json.attribute("text", std::string(rule.meaning) + "\n\n" + rule.remedy);
      json.attribute("markdown", std::string(rule.meaning) + "\n\n**What to do:** " + rule.remedy + "\n");
    });
    json.attributeObject("defaultConfiguration", [&] { json.attribute("level", "error"); });
  });
}

} // namespace

SarifRule sarifRule(RuleId rule) {
  const auto *found = llvm::find_if(check::rules(), [&](const Rule &r) { return r.id == rule; });
  return {nameOf(rule), static_cast<std::size_t>(found - check::rules().begin())};
}

SarifRule invalidRule() { return {invalid.id, check::rules().size()}; }

SarifRule undecidedRule() { return {undecided.id, check::rules().size() + 1}; }

void printSarifRules(OStream &json) {
  json.array([&] {
    for (const Rule &rule : check::rules())
      printRule(json, rule);
    printRule(json, invalid);
    printRule(json, undecided);
  });
}

} // namespace plumbline::report
