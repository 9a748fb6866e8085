#include "schedules/sweep/judge_case.h"

#include "verifier/cli/judge.h"
#include "verifier/lower/lower.h"

#include "llvm/ADT/StringExtras.h"

#include <set>

namespace plumbline::schedules::sweep {
namespace {

cli::Settings settingsOf(llvm::StringRef model) {
  const auto [kind, comms] = model.split(' ');
  cli::Settings settings;
  settings.kind = kind == "blocking" ? model::Kind::blocking : model::Kind::nccl;
  settings.comms = comms == "pair"       ? model::Comms::pair
                   : comms == "directed" ? model::Comms::directed
                                         : model::Comms::single;
  return settings;
}

} // namespace

std::string outcomeOf(const Family &family, const Case &made, llvm::StringRef model, smt::Session &session) {
  Result<Program> program = lower::lowerSchedule(generate(family, made.request));
  if (!program)
    return "invalid: " + program.error().message;
  const report::Report report = cli::judgeProgram(made.words, std::move(*program), settingsOf(model), session);
  if (report.invalid)
    return "invalid: " + report.invalid->message;
  if (report.verification.verdict == check::Verdict::undecided)
    return "undecided: " + llvm::join(report.verification.undecided, "; ");
  std::set<std::string> rules;
  for (const check::Finding &finding : report.verification.findings)
    if (finding.severity == check::Severity::error)
      rules.insert(report::nameOf(finding.rule));
  return rules.empty() ? report::verdictOf(report).str() : llvm::join(rules, ", ");
}

} // namespace plumbline::schedules::sweep
