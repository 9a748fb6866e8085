#include "verifier/report/report.h"

#include "verifier/model/words.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace plumbline::report {

llvm::StringRef verdictOf(const Report &report) {
  if (report.invalid)
    return "invalid";
  switch (report.verification.verdict) {
  case check::Verdict::verified:
    return "verified";
  case check::Verdict::rejected:
    return "rejected";
  case check::Verdict::undecided:
    break;
  }
  return "undecided";
}

int exitCodeOf(const Report &report) {
  if (report.invalid)
    return 2;
  switch (report.verification.verdict) {
  case check::Verdict::verified:
    return 0;
  case check::Verdict::rejected:
    return 1;
  case check::Verdict::undecided:
    break;
  }
  return 3;
}

std::vector<check::RuleId> brokenRules(const Report &report) {
  std::vector<check::RuleId> rules;
  for (const check::Finding &finding : report.verification.findings)
    if (finding.severity == check::Severity::error)
      rules.push_back(finding.rule);
  llvm::sort(rules);
  rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
  return rules;
}

std::string nameOf(check::RuleId rule) { return "PL" + std::to_string(static_cast<unsigned>(rule)); }

llvm::StringRef nameOf(check::Severity severity) {
  return severity == check::Severity::error ? "error" : severity == check::Severity::warning ? "warning" : "note";
}

SourceLocation placeOf(const Program &program, InstructionId instruction) {
  return instruction.valid() ? program.at(instruction).location : SourceLocation();
}

llvm::StringRef fileOf(const Program &program, SourceLocation location) {
  return location.valid() ? llvm::StringRef(program.files[static_cast<std::size_t>(location.file.value())])
                          : llvm::StringRef();
}

ModelWords wordsOf(const model::Options &o) {
  return {model::name(o.kind).str(),     model::name(o.comms).str(),   std::to_string(o.room),
          model::name(o.grouping).str(), model::name(o.connect).str(), model::name(o.wait).str(),
          model::name(o.streams).str()};
}

} // namespace plumbline::report
