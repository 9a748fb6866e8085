#include "verifier/report/junit.h"

#include "verifier/report/text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

namespace plumbline::report {
namespace {

using check::Finding;
using check::Severity;

constexpr llvm::StringRef replacement = "\xef\xbf\xbd"; // U+FFFD in UTF-8

// Is this byte, in valid UTF-8, the first of a character that XML 1.0 does not allow ("Char", section 2.2)?
std::size_t forbiddenAt(llvm::StringRef text) {
  const auto c = static_cast<unsigned char>(text.front());
  if (c < 0x20)
    return c == '\t' || c == '\n' || c == '\r' ? 0 : 1;
  return text.starts_with("\xef\xbf\xbe") || text.starts_with("\xef\xbf\xbf") ? 3 : 0; // U+FFFE, U+FFFF
}

// For text and for attributes alike. White space other than blanks is named by number, which keeps it as it is in
// attributes; a line end in text stays one.
std::string escaped(llvm::StringRef raw, bool inAttribute) {
  const std::string valid = llvm::json::isUTF8(raw) ? raw.str() : llvm::json::fixUTF8(raw);
  std::string result;
  for (llvm::StringRef rest = valid; !rest.empty();) {
    if (const std::size_t bytes = forbiddenAt(rest); bytes > 0) {
      result += replacement;
      rest = rest.drop_front(bytes);
      continue;
    }
    const char c = rest.front();
    rest = rest.drop_front();
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>') // as the end of "]]>", which text may not hold
      result += "&gt;";
    else if (c == '"' && inAttribute)
      result += "&quot;";
    else if (c == '\r' || (inAttribute && (c == '\n' || c == '\t')))
      result += "&#" + std::to_string(static_cast<int>(c)) + ";";
    else
      result += c;
  }
  return result;
}

std::string attribute(llvm::StringRef name, llvm::StringRef value) {
  return " " + name.str() + "=\"" + escaped(value, true) + "\"";
}

std::string attribute(llvm::StringRef name, std::size_t value) { return attribute(name, std::to_string(value)); }

std::string timeAttribute(double seconds) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.3f", seconds);
  return attribute("time", text);
}

// What one case has to say. At most one of failure, error and skipped is set.
struct CaseResult {
  std::string failure, error, skipped; // why: the message
  std::string details;                 // of failure or error
  std::string output;                  // what else there is to say
};

class SuitePrinter {
public:
  SuitePrinter(const Report &report, const std::optional<Expected> &expected) : report_(report), expected_(expected) {}

  void run() {
    addReadable();
    for (const check::Rule &rule : check::rules())
      addRule(rule);
    addDecided();
    if (expected_)
      addExpected();
  }

  [[nodiscard]] std::string suite() const {
    return "  <testsuite" + attribute("name", report_.file) + attribute("tests", tests) +
           attribute("failures", failures) + attribute("errors", errors) + attribute("skipped", skipped) +
           timeAttribute(report_.seconds.value_or(0)) + ">\n" + cases_ + "  </testsuite>\n";
  }

  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;

private:
  [[nodiscard]] bool met() const { return expected_ && expected_->met; }

  void addReadable() {
    CaseResult result;
    if (report_.invalid) {
      const Diagnostic &error = *report_.invalid;
      result.failure = error.file;
      if (error.line > 0)
        result.failure += ":" + std::to_string(error.line) + ":" + std::to_string(error.column);
      result.failure += ": " + error.message;
      result.details = textOfReport();
      if (met() || (expected_ && expected_->invalid && !report_.misused))
        acceptFailure(result);
    } else {
      if (expected_ && expected_->invalid)
        result.failure = "expected to be invalid, but it can be read";
      for (const std::string &note : report_.notes)
        result.output += "note: " + note + "\n";
    }
    add("readable", result, report_.invalid ? report_.seconds.value_or(0) : 0);
  }

  void addRule(const check::Rule &rule) {
    std::vector<const Finding *> broken, warnings;
    for (const Finding &finding : report_.verification.findings)
      if (finding.rule == rule.id)
        (finding.severity == Severity::error ? broken : warnings).push_back(&finding);
    const bool wanted = expected_ && llvm::is_contained(expected_->rules, rule.id);
    CaseResult result;
    if (report_.invalid) {
      result.skipped = unread;
    } else if (!broken.empty()) {
      result.failure = broken.front()->message;
      if (const std::size_t more = broken.size() - 1 + droppedOf(rule.id); more > 0)
        result.failure += " (and " + std::to_string(more) + " more)";
      result.details = textOf(broken);
      if (met() || wanted)
        acceptFailure(result);
    } else if (wanted) {
      result.failure = "expected to fail, but no error of this rule was found";
    }
    result.output += textOf(warnings);
    if (const std::size_t dropped = droppedOf(rule.id); dropped > 0)
      (result.details.empty() ? result.output : result.details) += std::to_string(dropped) + " more not shown\n";
    add(nameOf(rule.id) + " " + rule.title, result, 0);
  }

  std::size_t droppedOf(check::RuleId rule) const {
    std::size_t count = 0;
    for (const auto &dropped : report_.verification.dropped)
      count += dropped.rule == rule ? dropped.count : 0;
    return count;
  }

  void addDecided() {
    CaseResult result;
    const std::vector<std::string> &open = report_.verification.undecided;
    if (report_.invalid) {
      result.skipped = unread;
    } else if (!open.empty()) {
      result.error = open.front();
      if (open.size() > 1)
        result.error += " (and " + std::to_string(open.size() - 1) + " more)";
      for (const std::string &question : open)
        result.details += question + "\n";
      if (met() || (expected_ && expected_->undecided))
        acceptFailure(result);
    } else if (expected_ && expected_->undecided) {
      result.failure = "expected to be undecided, but every question was decided";
    }
    add("decided", result, report_.invalid ? 0 : report_.seconds.value_or(0));
  }

  void addExpected() {
    CaseResult result;
    if (!expected_->met)
      result.failure = expected_->sentence;
    else
      result.output = expected_->sentence + "\n";
    add("expected", result, 0);
  }

  static void acceptFailure(CaseResult &result) {
    result.output = "This failure was expected.\n" + result.details;
    result.failure.clear();
    result.error.clear();
    result.details.clear();
  }

  [[nodiscard]] std::string textOf(llvm::ArrayRef<const Finding *> findings) const {
    std::string text;
    llvm::raw_string_ostream out(text);
    printFindings(report_, findings, TextStyle(), out);
    return text;
  }

  [[nodiscard]] std::string textOfReport() const {
    std::string text;
    llvm::raw_string_ostream out(text);
    printText(report_, TextStyle(), out);
    return text;
  }

  void add(llvm::StringRef name, const CaseResult &result, double seconds) {
    std::string content;
    const auto element = [&](const char *tag, const std::string &attributes, const std::string &text) {
      content += std::string("      <") + tag + attributes;
      content += text.empty() ? "/>\n" : ">" + escaped(text, false) + "</" + tag + ">\n";
    };
    if (!result.failure.empty())
      element("failure", attribute("message", result.failure), result.details);
    if (!result.error.empty())
      element("error", attribute("message", result.error), result.details);
    if (!result.skipped.empty())
      element("skipped", attribute("message", result.skipped), "");
    if (!result.output.empty())
      element("system-out", "", result.output);
    ++tests;
    failures += !result.failure.empty();
    errors += !result.error.empty();
    skipped += !result.skipped.empty();
    cases_ += "    <testcase" + attribute("classname", report_.file) + attribute("name", name) + timeAttribute(seconds);
    cases_ += content.empty() ? "/>\n" : ">\n" + content + "    </testcase>\n";
  }

  static constexpr const char *unread = "the file cannot be read";

  const Report &report_;
  const std::optional<Expected> &expected_;
  std::string cases_;
};

} // namespace

void JunitDocument::add(const Report &report, const std::optional<Expected> &expected) {
  SuitePrinter printer(report, expected);
  printer.run();
  suites_ += printer.suite();
  tests_ += printer.tests;
  failures_ += printer.failures;
  errors_ += printer.errors;
  seconds_ += report.seconds.value_or(0);
}

void JunitDocument::print(llvm::raw_ostream &out) const {
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" << attribute("name", "plumbline")
      << attribute("tests", tests_) << attribute("failures", failures_) << attribute("errors", errors_)
      << timeAttribute(seconds_) << ">\n"
      << suites_ << "</testsuites>\n";
}

} // namespace plumbline::report
