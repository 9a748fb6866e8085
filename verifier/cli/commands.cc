#include "verifier/cli/commands.h"

#include "verifier/check/rule.h"
#include "verifier/cli/exit_code.h"
#include "verifier/cli/files.h"
#include "verifier/cli/progress.h"
#include "verifier/ir/pir_print.h"
#include "verifier/lower/communicators.h"
#include "verifier/report/json.h"
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

int verifyFiles(const CommandLine &line) {
  int code = verifiedCode;
  const report::TextStyle style = styleFor(line);
  smt::Session session(line.settings.jobs);
  const std::string wrong = writeFile(line.output, [&](llvm::raw_ostream &out) {
    for (const std::string &file : line.files) {
      const report::Report report = judgeWithProgress(file, line.settings, session);
      code = worse(code, report::exitCodeOf(report));
      if (line.format == OutputFormat::json)
        report::printJson(report, out);
      else
        report::printText(report, style, out);
      out.flush();
    }
  });
  return wrong.empty() ? code : complain(wrong);
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

int lowerFile(const CommandLine &line) {
  if (line.files.size() != 1)
    return complain("lower takes one file");
  report::Report report;
  if (!load(line.files.front(), line.settings, report)) {
    report::printText(report, report::TextStyle(), llvm::errs());
    return unusableCode;
  }
  if (line.settings.comms)
    lower::setCommunicators(report.program, *line.settings.comms == model::Comms::pair ? lower::Communicators::pair
                                            : *line.settings.comms == model::Comms::directed
                                                ? lower::Communicators::directed
                                                : lower::Communicators::single);
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
    unsigned number = 0;
    llvm::StringRef digits = name;
    digits.consume_front_insensitive("PL");
    const check::Rule *rule = digits.getAsInteger(10, number) ? nullptr : check::findRule(number);
    if (!rule)
      return complain("there is no rule '" + name + "'; `plumbline rules` lists them");
    if (!first)
      llvm::outs() << '\n';
    first = false;
    printRule(*rule, llvm::outs());
  }
  return verifiedCode;
}

} // namespace

int run(const CommandLine &given) {
  CommandLine line = given;
  for (const std::string &file : line.files)
    if (!line.output.empty() && llvm::sys::fs::equivalent(file, line.output))
      return complain("-o " + line.output + " would overwrite the input");
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
  case Command::rules:
    return explainRules(line);
  case Command::none:
    break;
  }
  return unusableCode;
}

} // namespace plumbline::cli
