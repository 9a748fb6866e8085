#include "verifier/cli/verify_command.h"

#include "verifier/certificate/certificate.h"
#include "verifier/certificate/program_hash.h"
#include "verifier/cli/exit_code.h"
#include "verifier/cli/expectation.h"
#include "verifier/cli/files.h"
#include "verifier/cli/judge_many.h"
#include "verifier/cli/progress.h"
#include "verifier/report/json.h"
#include "verifier/report/junit.h"
#include "verifier/report/sarif.h"
#include "verifier/report/summary.h"
#include "verifier/report/text.h"
#include "verifier/report/trace.h"

#include "llvm/Support/Process.h"

namespace plumbline::cli {
namespace {

certificate::Certificate certificateOf(const report::Report &report) {
  certificate::Certificate made{certificate::hashOf(report.program), report::verdictOf(report).str(), report.model, {}};
  for (const check::SlotCount &count : report.verification.slots)
    if (count.least >= 0)
      made.slots.push_back(
          {count.rank.value(), report.program.pools[static_cast<std::size_t>(count.pool.value())].name, count.least});
  return made;
}

// Also of a schedule that is not verified: then it says so. One that cannot be read has none. What is right if every
// send waits for its receive is asked about once more with sends that end early, since NCCL does either.
std::string writeCertificate(const CommandLine &line, const report::Report &report) {
  if (line.certificate.empty() || report.invalid)
    return "";
  std::string text = certificate::print(certificateOf(report));
  const model::Options &model = report.model;
  if (report::exitCodeOf(report) == verifiedCode && model.kind != model::Kind::mpi && model.room == 0 &&
      model.roomBytes < 0) {
    Settings settings = line.settings;
    settings.room = model::endlessRoom;
    settings.kind = model.kind;
    settings.wait = model.wait;
    settings.comms = model.comms;
    const Progress progress("plumbline: verifying " + report.file + " with room for messages");
    smt::Session session(settings.jobs);
    text += certificate::print(certificateOf(judgeProgram(report.file, report.program, settings, session)));
  }
  return writeFile(line.certificate, [&](llvm::raw_ostream &out) { out << text; });
}

// Every report goes to each document that is wanted; those for all files together are printed at the end.
class Documents {
public:
  explicit Documents(const CommandLine &line) : line_(line), style_(styleFor(line)) {}

  void add(const report::Report &report, const std::optional<report::Expected> &expected, llvm::raw_ostream &out) {
    if (wants(OutputFormat::junit) || !line_.junit.empty())
      junit_.add(report, expected);
    if (wants(OutputFormat::sarif) || !line_.sarif.empty())
      sarif_.add(report);
    if (wants(OutputFormat::trace)) {
      trace_.add(report);
      if (report.invalid) // a trace has no place for it
        report::printText(report, report::TextStyle(), llvm::errs());
    }
    if (wants(OutputFormat::json))
      report::printJson(report, out);
    if (wants(OutputFormat::text)) {
      report::printText(report, style_, out);
      summary_.add(report);
    }
    out.flush();
  }

  void finish(bool severalFiles, llvm::raw_ostream &out) const {
    if (wants(OutputFormat::junit))
      junit_.print(out);
    if (wants(OutputFormat::sarif))
      sarif_.print(out);
    if (wants(OutputFormat::trace))
      trace_.print(out);
    if (wants(OutputFormat::text) && severalFiles)
      summary_.print(style_, out);
  }

  // The files beside the usual output. What went wrong, or nothing.
  [[nodiscard]] std::string writeExtras() const {
    std::string wrong;
    if (!line_.junit.empty())
      wrong = writeFile(line_.junit, [&](llvm::raw_ostream &out) { junit_.print(out); });
    if (!line_.sarif.empty())
      if (const std::string sarifWrong = writeFile(line_.sarif, [&](llvm::raw_ostream &out) { sarif_.print(out); });
          wrong.empty())
        wrong = sarifWrong;
    return wrong;
  }

private:
  [[nodiscard]] bool wants(OutputFormat format) const { return line_.format == format; }

  const CommandLine &line_;
  report::TextStyle style_;
  report::JunitDocument junit_;
  report::SarifDocument sarif_;
  report::TraceDocument trace_;
  report::Summary summary_;
};

// Says what is not as expected, where it does not disturb those who read the report.
void printLastLine(const Outcome &outcome, OutputFormat format) {
  if (const std::string text = outcome.lastLine(); !text.empty())
    (format == OutputFormat::text ? llvm::outs() : llvm::errs()) << "plumbline: " << text << '\n';
}

std::string progressTitle(llvm::ArrayRef<Input> inputs) {
  return "plumbline: verifying " +
         (inputs.size() == 1 ? inputs.front().file : std::to_string(inputs.size()) + " files");
}

} // namespace

report::TextStyle styleFor(const CommandLine &line) {
  report::TextStyle style;
  if (line.output.empty() && llvm::sys::Process::StandardOutIsDisplayed()) {
    style.color = llvm::sys::Process::StandardOutHasColors();
    if (const unsigned columns = llvm::sys::Process::StandardOutColumns(); columns > 20)
      style.width = columns;
  }
  return style;
}

int verifyFiles(const CommandLine &line) {
  const std::vector<Input> inputs = findInputs(line.files, line.rules);
  if (!line.certificate.empty() && inputs.size() != 1) {
    llvm::errs() << "plumbline: --certificate is for one schedule; name one FILE\n";
    return unusableCode;
  }
  Outcome outcome(line.expectation);
  Documents documents(line);
  Settings settings = line.settings;
  settings.timeline |= line.format == OutputFormat::trace;
  std::string certificateWrong;
  const std::string wrong = writeFile(line.output, [&](llvm::raw_ostream &out) {
    {
      Progress progress(progressTitle(inputs), inputs.size());
      judgeMany(inputs, settings, [&](const report::Report &report) {
        const std::optional<report::Expected> expected = outcome.add(report);
        progress.advance([&] { documents.add(report, expected, out); });
        certificateWrong = writeCertificate(line, report);
      });
    }
    documents.finish(inputs.size() > 1, out);
  });
  const std::string extraWrong = documents.writeExtras();
  for (const std::string &problem : {wrong, extraWrong, certificateWrong})
    if (!problem.empty()) {
      llvm::errs() << "plumbline: " << problem << '\n';
      return unusableCode;
    }
  printLastLine(outcome, line.format);
  return outcome.exitCode();
}

} // namespace plumbline::cli
