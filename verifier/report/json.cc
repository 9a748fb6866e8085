#include "verifier/report/json.h"

#include "verifier/ir/words.h"
#include "verifier/report/json_parts.h"

#include "llvm/Support/JSON.h"

namespace plumbline::report {
namespace {

using llvm::json::OStream;

class JsonPrinter {
public:
  JsonPrinter(const Report &report, llvm::raw_ostream &out) : report_(report), json_(out), parts_(report, json_) {}

  void print() {
    json_.object([&] {
      json_.attribute("schema", "plumbline.report.v1");
      json_.attribute("file", utf8(report_.file));
      json_.attribute("verdict", verdictOf(report_));
      json_.attribute("format", report_.format);
      if (report_.invalid)
        printInvalid();
      else
        printJudged();
      printSeconds(report_.seconds.value_or(0));
    });
  }

private:
  void printInvalid() {
    parts_.printError();
    json_.attribute("program", nullptr);
    json_.attribute("model", nullptr);
    json_.attributeArray("findings", [] {});
    json_.attributeArray("buffers", [] {});
    json_.attribute("solver", nullptr);
  }

  void printJudged() {
    json_.attribute("why", report_.why);
    json_.attributeArray("notes", [&] {
      for (const std::string &note : report_.notes)
        json_.value(utf8(note));
    });
    parts_.printProgram();
    parts_.printModel();
    json_.attributeArray("findings", [&] {
      for (const check::Finding &finding : report_.verification.findings)
        json_.object([&] { parts_.printFinding(finding); });
    });
    json_.attributeArray("not_shown", [&] {
      for (const auto &dropped : report_.verification.dropped)
        json_.object([&] {
          json_.attribute("rule", nameOf(dropped.rule));
          json_.attribute("count", static_cast<std::int64_t>(dropped.count));
        });
    });
    json_.attributeArray("undecided", [&] {
      for (const std::string &question : report_.verification.undecided)
        json_.value(utf8(question));
    });
    json_.attributeArray("buffers", [&] {
      for (const check::SlotCount &count : report_.verification.slots)
        json_.object([&] { printSlotCount(count); });
    });
    json_.attributeObject("solver", [&] {
      json_.attribute("name", "z3");
      json_.attribute("version", smt::z3Version());
      printEffort(report_.verification.solver);
    });
    if (report_.verification.bubble)
      json_.attributeObject("bubble", [&] { printBubble(json_, *report_.verification.bubble); });
  }

  // Which of two files with an equal question has it answered first is a matter of chance where files are judged at
  // once, so that is not told where times are not.
  void printEffort(const smt::Statistics &solver) {
    const auto queries = static_cast<std::int64_t>(solver.queries), reused = static_cast<std::int64_t>(solver.reused);
    json_.attribute("queries", report_.seconds ? queries : queries + reused);
    if (report_.seconds)
      json_.attribute("reused", reused);
    else
      json_.attribute("reused", nullptr);
    printSeconds(solver.seconds);
  }

  void printSeconds(double seconds) {
    if (report_.seconds)
      json_.attribute("seconds", seconds);
    else
      json_.attribute("seconds", nullptr);
  }

  void printSlotCount(const check::SlotCount &count) {
    const auto numberOrNull = [&](llvm::StringRef key, std::int32_t n) {
      if (n < 0)
        json_.attribute(key, nullptr);
      else
        json_.attribute(key, n);
    };
    printId(json_, "rank", count.rank);
    json_.attribute("pool", utf8(report_.program.pools[static_cast<std::size_t>(count.pool.value())].name));
    numberOrNull("declared", count.declared);
    numberOrNull("least", count.least);
    json_.attribute("least_reordered", nullptr);
    json_.attributeArray("witness", [&] {
      for (const InstructionId birth : count.witness)
        json_.object([&] {
          const Instruction &i = report_.program.at(birth);
          json_.attribute("instruction", utf8(plumbline::nameOf(report_.program, birth)));
          printId(json_, "stage", i.stage);
          printId(json_, "microbatch", i.microbatch);
          parts_.printLocation(i.location);
        });
    });
  }

  const Report &report_;
  OStream json_;
  JsonParts parts_;
};

} // namespace

void printJson(const Report &report, llvm::raw_ostream &out) {
  JsonPrinter(report, out).print();
  out << '\n';
}

} // namespace plumbline::report
