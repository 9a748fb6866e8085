#include "tests/judging/judging.h"

#include "verifier/cli/limits.h"
#include "verifier/report/text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <algorithm>

namespace plumbline::testing {
namespace {

template <typename T> T numberOf(llvm::StringRef text) {
  T number = 0;
  EXPECT_FALSE(text.getAsInteger(10, number)) << text.str() << " is not a number";
  return number;
}

// Takes one option with its value; false if there is no such option or value.
bool take(llvm::StringRef option, llvm::StringRef value, const std::string &folder, cli::Settings &s) {
  const auto one = [&](const auto &parsed, auto &target) {
    if (parsed)
      target = *parsed;
    return parsed.has_value();
  };
  using llvm::StringSwitch;
  using std::optional;
  if (option == "--model")
    return one(StringSwitch<optional<model::Kind>>(value)
                   .Case("blocking", model::Kind::blocking)
                   .Case("nccl", model::Kind::nccl)
                   .Case("mpi", model::Kind::mpi)
                   .Default(std::nullopt),
               s.kind);
  if (option == "--comms")
    return one(StringSwitch<optional<model::Comms>>(value)
                   .Case("single", model::Comms::single)
                   .Case("pair", model::Comms::pair)
                   .Case("directed", model::Comms::directed)
                   .Default(std::nullopt),
               s.comms);
  if (option == "--group")
    return one(StringSwitch<optional<model::Grouping>>(value)
                   .Case("given", model::Grouping::given)
                   .Case("none", model::Grouping::none)
                   .Case("atomic", model::Grouping::atomic)
                   .Default(std::nullopt),
               s.grouping);
  if (option == "--wait")
    return one(StringSwitch<optional<model::Wait>>(value)
                   .Case("use", model::Wait::use)
                   .Case("group", model::Wait::group)
                   .Default(std::nullopt),
               s.wait);
  if (option == "--connect")
    return one(StringSwitch<optional<model::Connect>>(value)
                   .Case("ready", model::Connect::ready)
                   .Case("first-use", model::Connect::firstUse)
                   .Default(std::nullopt),
               s.connect);
  if (option == "--streams")
    return one(StringSwitch<optional<model::Streams>>(value)
                   .Case("independent", model::Streams::independent)
                   .Case("any", model::Streams::any)
                   .Default(std::nullopt),
               s.streams);
  if (option == "--from")
    return one(frontend::formatFromName(value), s.from);
  if (option == "--room")
    s.room = numberOf<std::int32_t>(value);
  else if (option == "--room-bytes")
    s.roomBytes = numberOf<std::int64_t>(value);
  else if (option == "--plan")
    s.plan = numberOf<std::int32_t>(value);
  else if (option == "--max-buffers")
    return cli::addBufferLimit(value, s.limits).empty();
  else if (option == "--max-bubble")
    return cli::setBubbleLimit(value, s.limits).empty();
  else if (option == "--batches")
    s.batches = folder + value.str();
  else
    return false;
  return true;
}

} // namespace

cli::Settings settingsOf(llvm::StringRef words, const std::string &folder) {
  llvm::SmallVector<llvm::StringRef, 16> list;
  llvm::SplitString(words, list);
  cli::Settings settings;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == "--strict") {
      settings.strict = true;
      continue;
    }
    const llvm::StringRef value = i + 1 < list.size() ? list[i + 1] : "";
    EXPECT_TRUE(take(list[i], value, folder, settings)) << "in the words " << words.str() << ": " << list[i].str();
    ++i;
  }
  return settings;
}

std::vector<std::string> rulesOf(const report::Report &report, check::Severity severity) {
  std::vector<std::string> rules;
  for (const check::Finding &finding : report.verification.findings)
    if (finding.severity == severity)
      rules.push_back(report::nameOf(finding.rule));
  llvm::sort(rules);
  rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
  return rules;
}

std::vector<std::string> familiesOf(const report::Report &report) {
  std::vector<std::string> families;
  for (const std::string &rule : rulesOf(report))
    if (families.empty() || !llvm::StringRef(rule).starts_with(families.back()))
      families.push_back(rule.substr(0, 3));
  return families;
}

std::string textOf(const report::Report &report) {
  std::string text;
  llvm::raw_string_ostream out(text);
  report::printText(report, report::TextStyle(), out);
  return out.str();
}

} // namespace plumbline::testing
