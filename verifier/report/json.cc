#include "verifier/report/json.h"

#include "verifier/ir/words.h"

#include "llvm/Support/JSON.h"

namespace plumbline::report {
namespace {

using llvm::json::OStream;

// JSON strings must be UTF-8, which file names and quoted input need not be.
std::string utf8(llvm::StringRef text) { return llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text); }

class JsonPrinter {
public:
  JsonPrinter(const Report &report, llvm::raw_ostream &out) : report_(report), json_(out) {}

  void print() {
    json_.object([&] {
      json_.attribute("schema", "plumbline.report.v1");
      json_.attribute("file", utf8(report_.file));
      json_.attribute("verdict", verdictOf(report_));
      json_.attribute("format", report_.format);
      if (report_.invalid)
        printInvalid(*report_.invalid);
      else
        printJudged();
      printSeconds(report_.seconds.value_or(0));
    });
  }

private:
  void printInvalid(const Diagnostic &error) {
    json_.attributeObject("error", [&] {
      json_.attribute("message", utf8(error.message));
      json_.attributeObject("location", [&] { printPlace(error.file, error.line, error.column); });
    });
    json_.attribute("program", nullptr);
    json_.attribute("model", nullptr);
    json_.attributeArray("findings", [] {});
    json_.attributeArray("buffers", [] {});
    json_.attribute("solver", nullptr);
  }

  void printJudged() {
    const Program &program = report_.program;
    json_.attribute("why", report_.why);
    json_.attributeArray("notes", [&] {
      for (const std::string &note : report_.notes)
        json_.value(utf8(note));
    });
    json_.attributeObject("program", [&] {
      json_.attribute("ranks", program.rankCount());
      json_.attribute("stages", program.stageCount());
      json_.attribute("microbatches", program.microbatches);
      json_.attribute("instructions", static_cast<std::int64_t>(program.instructions.size()));
      json_.attribute("mode", name(program.mode));
      json_.attribute("replicas", program.replicas);
    });
    json_.attributeObject("model", [&] { printModel(); });
    json_.attributeArray("findings", [&] {
      for (const check::Finding &finding : report_.verification.findings)
        json_.object([&] { printFinding(finding); });
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
      json_.attributeObject("bubble", [&] { printBubble(*report_.verification.bubble); });
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

  void printBubble(const check::Bubble &bubble) {
    if (bubble.makespan == 0) {
      json_.attribute("idle_share", nullptr);
      json_.attribute("makespan", nullptr);
      return;
    }
    json_.attribute("idle_share", static_cast<double>(bubble.idle) / static_cast<double>(bubble.total));
    const auto makespan = static_cast<std::int64_t>(bubble.makespan);
    if (makespan % bubble.ticksPerUnit == 0)
      json_.attribute("makespan", makespan / bubble.ticksPerUnit);
    else
      json_.attribute("makespan", static_cast<double>(makespan) / static_cast<double>(bubble.ticksPerUnit));
  }

  void printModel() {
    const ModelWords words = wordsOf(report_.model);
    json_.attribute("name", words.name);
    json_.attribute("comms", words.comms);
    json_.attribute("room", report_.model.room);
    json_.attribute("group", words.group);
    json_.attribute("connect", words.connect);
    json_.attribute("wait", words.wait);
    json_.attribute("streams", words.streams);
    json_.attribute("plan", report_.model.plan);
    if (report_.model.roomBytes >= 0)
      json_.attribute("room_bytes", report_.model.roomBytes);
    else
      json_.attribute("room_bytes", nullptr);
  }

  void printPlace(llvm::StringRef file, std::uint32_t line, std::uint32_t column) {
    json_.attribute("file", utf8(file));
    json_.attribute("line", line);
    json_.attribute("column", column);
  }

  void printLocation(SourceLocation location) {
    if (!location.valid()) {
      json_.attribute("location", nullptr);
      return;
    }
    json_.attributeObject("location",
                          [&] { printPlace(fileOf(report_.program, location), location.line, location.column); });
  }

  template <typename IdType> void printId(llvm::StringRef key, IdType id) {
    if (id.valid())
      json_.attribute(key, id.value());
    else
      json_.attribute(key, nullptr);
  }

  void printFinding(const check::Finding &finding) {
    json_.attribute("rule", nameOf(finding.rule));
    json_.attribute("severity", nameOf(finding.severity));
    json_.attribute("message", utf8(finding.message));
    printId("rank", finding.rank);
    printId("stage", finding.stage);
    printId("microbatch", finding.microbatch);
    if (finding.instruction.valid())
      json_.attribute("instruction", utf8(plumbline::nameOf(report_.program, finding.instruction)));
    else
      json_.attribute("instruction", nullptr);
    printLocation(finding.location);
    printRelated("related", finding.related);
    printRelated("cycle", finding.cycle);
  }

  void printRelated(llvm::StringRef key, llvm::ArrayRef<check::Related> list) {
    json_.attributeArray(key, [&] {
      for (const check::Related &related : list)
        json_.object([&] {
          json_.attribute("message", utf8(related.message));
          if (related.instruction.valid()) {
            const Instruction &i = report_.program.at(related.instruction);
            json_.attribute("instruction", utf8(plumbline::nameOf(report_.program, related.instruction)));
            printId("rank", i.rank);
            printId("stage", i.stage);
            printId("microbatch", i.microbatch);
          }
          printLocation(placeOf(report_.program, related.instruction));
        });
    });
  }

  void printSlotCount(const check::SlotCount &count) {
    const auto numberOrNull = [&](llvm::StringRef key, std::int32_t n) {
      if (n < 0)
        json_.attribute(key, nullptr);
      else
        json_.attribute(key, n);
    };
    printId("rank", count.rank);
    json_.attribute("pool", utf8(report_.program.pools[static_cast<std::size_t>(count.pool.value())].name));
    numberOrNull("declared", count.declared);
    numberOrNull("least", count.least);
    json_.attribute("least_reordered", nullptr);
    json_.attributeArray("witness", [&] {
      for (const InstructionId birth : count.witness)
        json_.object([&] {
          const Instruction &i = report_.program.at(birth);
          json_.attribute("instruction", utf8(plumbline::nameOf(report_.program, birth)));
          printId("stage", i.stage);
          printId("microbatch", i.microbatch);
          printLocation(i.location);
        });
    });
  }

  const Report &report_;
  OStream json_;
};

} // namespace

void printJson(const Report &report, llvm::raw_ostream &out) {
  JsonPrinter(report, out).print();
  out << '\n';
}

} // namespace plumbline::report
