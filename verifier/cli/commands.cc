#include "verifier/cli/commands.h"

#include "schedules/library.h"
#include "verifier/certificate/certificate.h"
#include "verifier/certificate/program_hash.h"
#include "verifier/check/rule.h"
#include "verifier/cli/exit_code.h"
#include "verifier/cli/expectation.h"
#include "verifier/cli/files.h"
#include "verifier/cli/progress.h"
#include "verifier/ir/pir_print.h"
#include "verifier/ir/text.h"
#include "verifier/lower/communicators.h"
#include "verifier/lower/reassign_slots.h"
#include "verifier/report/json.h"
#include "verifier/report/junit.h"
#include "verifier/report/text.h"

#include "spdlog/sinks/stdout_sinks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"

namespace plumbline::cli {
namespace {

int complain(const std::string &message) {
  llvm::errs() << "plumbline: " << message << '\n';
  return unusableCode;
}

report::TextStyle styleFor(const CommandLine &line) {
  report::TextStyle style;
  if (line.output.empty() && llvm::sys::Process::StandardOutIsDisplayed()) {
    style.color = llvm::sys::Process::StandardOutHasColors();
    if (const unsigned columns = llvm::sys::Process::StandardOutColumns(); columns > 20)
      style.width = columns;
  }
  return style;
}

report::Report judgeWithProgress(const std::string &file, const Settings &settings, smt::Session &session) {
  const Progress progress("plumbline: verifying " + file);
  return judge(file, settings, session);
}

// Says what is not as expected, where it does not disturb those who read the report.
void printLastLine(const Outcome &outcome, OutputFormat format) {
  if (const std::string text = outcome.lastLine(); !text.empty())
    (format == OutputFormat::text ? llvm::outs() : llvm::errs()) << "plumbline: " << text << '\n';
}

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
std::string writeCertificate(const CommandLine &line, const report::Report &report, smt::Session &session) {
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
    text += certificate::print(certificateOf(judgeProgram(report.file, report.program, settings, session)));
  }
  return writeFile(line.certificate, [&](llvm::raw_ostream &out) { out << text; });
}

int verifyFiles(const CommandLine &line) {
  Outcome outcome(line.expectation);
  report::JunitDocument junit;
  const report::TextStyle style = styleFor(line);
  smt::Session session(line.settings.jobs);
  std::string certificateWrong;
  const std::string wrong = writeFile(line.output, [&](llvm::raw_ostream &out) {
    for (const std::string &file : line.files) {
      const report::Report report = judgeWithProgress(file, line.settings, session);
      certificateWrong = writeCertificate(line, report, session);
      const std::optional<report::Expected> expected = outcome.add(report);
      if (line.format == OutputFormat::junit || !line.junit.empty())
        junit.add(report, expected);
      if (line.format == OutputFormat::json)
        report::printJson(report, out);
      else if (line.format == OutputFormat::text)
        report::printText(report, style, out);
      out.flush();
    }
    if (line.format == OutputFormat::junit)
      junit.print(out);
  });
  const std::string junitWrong =
      line.junit.empty() ? "" : writeFile(line.junit, [&](llvm::raw_ostream &out) { junit.print(out); });
  for (const std::string &problem : {wrong, junitWrong, certificateWrong})
    if (!problem.empty())
      return complain(problem);
  printLastLine(outcome, line.format);
  return outcome.exitCode();
}

int showSlots(const CommandLine &line) {
  int code = verifiedCode;
  smt::Session session(line.settings.jobs);
  const std::string wrong = writeFile(line.output, [&](llvm::raw_ostream &out) {
    for (const std::string &file : line.files) {
      const report::Report report = judgeWithProgress(file, line.settings, session);
      code = worse(code, report::exitCodeOf(report));
      if (report.invalid) {
        report::printText(report, styleFor(line), out);
        continue;
      }
      report::printSlots(report, out);
      out << report.file << ": " << report::verdictOf(report) << '\n';
    }
  });
  return wrong.empty() ? code : complain(wrong);
}

// Lowers and verifies, gives every value one of the least slots, and verifies once more, since a wrong slot would
// corrupt what the first verdict promised. Returns an exit code; with 0 `report` holds the program.
int lowerToLeastSlots(const CommandLine &line, report::Report &report) {
  smt::Session session(line.settings.jobs);
  report = judgeWithProgress(line.files.front(), line.settings, session);
  if (const int code = report::exitCodeOf(report); code != verifiedCode) {
    report::printText(report, report::TextStyle(), llvm::errs());
    return code;
  }
  std::vector<std::int32_t> slots(report.program.accesses.size(), -1);
  for (const check::SlotCount &count : report.verification.slots)
    for (const check::SlotPlace &place : count.places)
      slots[place.access] = place.slot;
  Program program = report.program;
  lower::reassignSlots(program, slots);
  Settings again = line.settings;
  again.comms = report.model.comms;
  const report::Report second = judgeProgram(report.file, program, again, session);
  if (const int code = report::exitCodeOf(second); code != verifiedCode) {
    report::printText(second, report::TextStyle(), llvm::errs());
    complain("internal: the program with the least slots is not verified");
    return code;
  }
  report.program = std::move(program);
  return verifiedCode;
}

int lowerAsGiven(const CommandLine &line, report::Report &report) {
  if (!load(line.files.front(), line.settings, report)) {
    report::printText(report, report::TextStyle(), llvm::errs());
    return unusableCode;
  }
  if (line.settings.comms)
    lower::setCommunicators(report.program, *line.settings.comms == model::Comms::pair ? lower::Communicators::pair
                                            : *line.settings.comms == model::Comms::directed
                                                ? lower::Communicators::directed
                                                : lower::Communicators::single);
  return verifiedCode;
}

int lowerFile(const CommandLine &line) {
  if (line.files.size() != 1)
    return complain("lower takes one file");
  report::Report report;
  const int code = line.slots == Slots::least ? lowerToLeastSlots(line, report) : lowerAsGiven(line, report);
  if (code != verifiedCode)
    return code;
  const std::string wrong = writeFile(line.output, [&](llvm::raw_ostream &out) { printPir(report.program, out); });
  return wrong.empty() ? verifiedCode : complain(wrong);
}

void printRule(const check::Rule &rule, llvm::raw_ostream &out) {
  const auto example = [&](const char *title, llvm::StringRef text) {
    out << "\n  " << title << ":\n";
    while (!text.empty()) {
      const auto [first, rest] = text.split('\n');
      out << "      " << first << '\n';
      text = rest;
    }
  };
  out << report::nameOf(rule.id) << "  " << rule.title << "\n\n  " << rule.meaning
      << "\n\n  What to do: " << rule.remedy << '\n';
  const llvm::StringRef arguments = rule.arguments;
  if (!arguments.empty())
    out << "\n  Judged with: plumbline verify " << arguments << '\n';
  example("Breaks it", rule.failing);
  example("Keeps it", rule.passing);
}

int explainRules(const CommandLine &line) {
  if (line.files.empty()) {
    for (const check::Rule &rule : check::rules())
      llvm::outs() << report::nameOf(rule.id) << "  " << rule.title << '\n';
    llvm::outs() << "\n`plumbline rules PL401` explains one, with a failing and a passing example.\n";
    return verifiedCode;
  }
  bool first = true;
  for (const std::string &name : line.files) {
    const check::Rule *rule = check::findRuleNamed(name);
    if (!rule)
      return complain("there is no rule '" + name + "'; `plumbline rules` lists them");
    if (!first)
      llvm::outs() << '\n';
    first = false;
    printRule(*rule, llvm::outs());
  }
  return verifiedCode;
}

const schedules::Family *familyOf(const std::string &name) {
  const schedules::Family *family = schedules::findFamily(name);
  if (!family)
    complain("there is no schedule " + inQuotes(name) + "; `plumbline gen --list` shows them");
  return family;
}

int listSchedules(const CommandLine &line) {
  std::vector<const schedules::Family *> named;
  for (const std::string &name : line.files)
    if (const schedules::Family *family = familyOf(name))
      named.push_back(family);
    else
      return unusableCode;
  const std::string wrong = writeFile(line.output, [&](llvm::raw_ostream &out) {
    if (named.empty())
      listFamilies(schedules::library(), out);
    for (const schedules::Family *family : named)
      describeFamily(*family, out);
  });
  return wrong.empty() ? verifiedCode : complain(wrong);
}

int generateSchedule(const CommandLine &line) {
  const schedules::Family *family = familyOf(line.files.front());
  if (!family)
    return unusableCode;
  const Result<std::string> text = generateText(*family, line.generate);
  if (!text)
    return complain(text.error().file + ": " + text.error().message);
  const std::string wrong = writeFile(line.output, [&](llvm::raw_ostream &out) { out << *text; });
  return wrong.empty() ? verifiedCode : complain(wrong);
}

} // namespace

int run(const CommandLine &given) {
  CommandLine line = given;
  for (const std::string &file : line.files) {
    if (!line.output.empty() && llvm::sys::fs::equivalent(file, line.output))
      return complain("-o " + line.output + " would overwrite the input");
    if (!line.junit.empty() && llvm::sys::fs::equivalent(file, line.junit))
      return complain("--junit " + line.junit + " would overwrite the input");
    if (!line.certificate.empty() && llvm::sys::fs::equivalent(file, line.certificate))
      return complain("--certificate " + line.certificate + " would overwrite the input");
  }
  spdlog::logger log("plumbline", std::make_shared<spdlog::sinks::stderr_sink_st>());
  log.set_pattern("plumbline: %v");
  if (line.log)
    line.settings.log = &log;
  switch (line.command) {
  case Command::verify:
    return verifyFiles(line);
  case Command::buffers:
    return showSlots(line);
  case Command::lower:
    return lowerFile(line);
  case Command::gen:
    return line.list ? listSchedules(line) : generateSchedule(line);
  case Command::rules:
    return explainRules(line);
  case Command::none:
    break;
  }
  return unusableCode;
}

} // namespace plumbline::cli
