#include "verifier/cli/view.h"

#include "verifier/cli/diff.h"
#include "verifier/cli/exit_code.h"
#include "verifier/cli/files.h"
#include "verifier/cli/judge_many.h"
#include "verifier/cli/progress.h"
#include "verifier/compare/comparison.h"
#include "verifier/report/page/page.h"
#include "verifier/report/trace.h"

#include "llvm/Support/Process.h"

namespace plumbline::cli {
namespace {

int complain(const std::string &message) {
  llvm::errs() << "plumbline: " << message << '\n';
  return unusableCode;
}

// A page shows one schedule: a folder or a pattern has to mean one file.
std::vector<report::Report> judgeAll(const CommandLine &line) {
  Settings settings = line.settings;
  settings.timeline = true;
  settings.reproducible = true;
  if (line.viewDiff)
    settings.findingsPerRule = comparedFindingsPerRule;
  std::vector<report::Report> reports;
  Progress progress("plumbline: drawing", line.files.size());
  for (const std::string &file : line.files) {
    smt::Session session(settings.jobs);
    const std::vector<Input> inputs = findInputs({file}, line.rules);
    progress.advance([] {});
    reports.push_back(inputs.size() == 1 ? judgeInput(inputs.front(), settings, session)
                                         : judgeInput({file, "", file, "view shows one file, and this means several"},
                                                      settings, session));
  }
  return reports;
}

report::PageDifference differenceOf(const report::Report &base, const report::Report &next,
                                    const compare::Allowance &allowance) {
  const compare::Comparison comparison = compare::compare(base.invalid ? nullptr : &base, next, allowance);
  report::PageDifference difference{comparison.findings.added, comparison.findings.fixed, {}, {comparison.sentence}};
  for (const std::vector<compare::FindingPair> *pairs : {&comparison.findings.kept, &comparison.findings.moved})
    for (const compare::FindingPair &pair : *pairs)
      difference.same.push_back({pair.base, pair.next});
  for (const compare::Change &change : comparison.changes)
    difference.summary.push_back(compare::name(change.grade).str() + ": " + change.message);
  return difference;
}

} // namespace

int viewFile(const CommandLine &line) {
  if (line.viewDiff && line.viewFormat == ViewFormat::trace)
    return complain("view --diff writes a page; make a trace of each file");
  if (line.output.empty() && line.viewFormat == ViewFormat::html && llvm::sys::Process::StandardOutIsDisplayed())
    return complain("view writes a page for the browser: name a file, as in -o out.html");
  const std::vector<report::Report> reports = judgeAll(line);
  const std::string wrong = writeFile(line.output, [&](llvm::raw_ostream &out) {
    if (line.viewFormat == ViewFormat::trace) {
      report::TraceDocument trace;
      trace.add(reports.front());
      trace.print(out);
    } else if (line.viewDiff) {
      const report::Report &base = reports.front(), &next = reports.back();
      report::printPages(base, next, differenceOf(base, next, line.allowance), out);
    } else {
      report::printPage(reports.front(), out);
    }
  });
  return wrong.empty() ? report::exitCodeOf(reports.back()) : complain(wrong);
}

} // namespace plumbline::cli
