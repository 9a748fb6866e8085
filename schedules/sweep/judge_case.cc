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

// Where a rank keeps what it has forwarded and not differentiated: DeepSpeed's engine in `outputs`.
bool keepsActivations(const Program &program, const check::SlotCount &count) {
  const llvm::StringRef pool = program.pools[static_cast<std::size_t>(count.pool.value())].name;
  return pool == (program.execution == Execution::blocking ? "outputs" : "stashes");
}

// What the proof of the least number of slots and the paper disagree about; empty if nothing.
std::string compareSlots(const Family &family, const Request &request, const report::Report &report) {
  if (!family.inFlight || family.mode != Mode::training || request.option("recompute") == 1)
    return "";
  std::size_t compared = 0;
  for (const check::SlotCount &count : report.verification.slots) {
    if (!keepsActivations(report.program, count))
      continue;
    ++compared;
    const std::optional<std::int64_t> held = family.inFlight(request, count.rank.value());
    if (held.value_or(count.least) != count.least)
      return "slots: rank " + std::to_string(count.rank.value()) + " needs " + std::to_string(count.least) +
             ", the closed form says " + std::to_string(*held);
  }
  return compared == report.program.ranks.size() ? "" : "slots: not counted on every rank";
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
  if (!rules.empty())
    return llvm::join(rules, ", ");
  const std::string wrong = compareSlots(family, made.request, report);
  return wrong.empty() ? report::verdictOf(report).str() : wrong;
}

} // namespace plumbline::schedules::sweep
