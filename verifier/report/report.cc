#include "verifier/report/report.h"

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
  ModelWords words;
  words.name = o.kind == model::Kind::blocking ? "blocking" : o.kind == model::Kind::nccl ? "nccl" : "mpi";
  words.comms = o.comms == model::Comms::single     ? "single"
                : o.comms == model::Comms::pair     ? "pair"
                : o.comms == model::Comms::directed ? "directed"
                                                    : "given";
  words.room = std::to_string(o.room);
  words.group = o.grouping == model::Grouping::given  ? "given"
                : o.grouping == model::Grouping::none ? "none"
                                                      : "atomic";
  words.connect = o.connect == model::Connect::ready ? "ready" : "first-use";
  words.wait = o.wait == model::Wait::use ? "use" : "group";
  words.streams = o.streams == model::Streams::independent ? "independent" : "any";
  return words;
}

} // namespace plumbline::report
