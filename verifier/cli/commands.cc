#include "verifier/cli/commands.h"

#include "schedules/library.h"
#include "verifier/check/rule.h"
#include "verifier/cli/diff.h"
#include "verifier/cli/exit_code.h"
#include "verifier/cli/files.h"
#include "verifier/cli/judge_many.h"
#include "verifier/cli/outputs.h"
#include "verifier/cli/progress.h"
#include "verifier/cli/verify_command.h"
#include "verifier/cli/view.h"
#include "verifier/ir/pir_print.h"
#include "verifier/ir/text.h"
#include "verifier/lower/communicators.h"
#include "verifier/lower/reassign_slots.h"
#include "verifier/report/excerpt.h"
#include "verifier/report/text.h"

#include "spdlog/sinks/stdout_sinks.h"
#include "llvm/ADT/STLExtras.h"

namespace plumbline::cli {
namespace {

int complain(const std::string &message) {
  llvm::errs() << "plumbline: " << message << '\n';
  return unusableCode;
}

report::Report judgeWithProgress(const std::string &file, const Settings &settings, smt::Session &session) {
  const Progress progress("plumbline: verifying " + file);
  return judge(file, settings, session);
}

int showSlots(const CommandLine &line) {
  int code = verifiedCode;
  const std::vector<Input> inputs = findInputs(line.files, line.rules);
  Progress progress("plumbline: counting", inputs.size());
  const std::string wrong = writeFile(line.output, [&](llvm::raw_ostream &out) {
    judgeMany(inputs, line.settings, [&](const report::Report &report) {
      progress.advance([&] {
        code = worse(code, report::exitCodeOf(report));
        if (report.invalid) {
          report::printText(report, styleFor(line), out);
        } else {
          report::printSlots(report, out);
          out << report::printable(report.file) << ": " << report::verdictOf(report) << '\n';
        }
        out.flush();
      });
    });
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
  const bool reads = line.command != Command::gen && line.command != Command::rules;
  if (const std::string wrong = wrongOutputs(line, reads ? findInputs(line.files, line.rules) : std::vector<Input>());
      !wrong.empty())
    return complain(wrong);
  spdlog::logger log("plumbline", std::make_shared<spdlog::sinks::stderr_sink_st>());
  log.set_pattern("plumbline: %v");
  if (line.log)
    line.settings.log = &log;
  switch (line.command) {
  case Command::verify:
    return verifyFiles(line);
  case Command::diff:
    return diffFiles(line);
  case Command::view:
    return viewFile(line);
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
