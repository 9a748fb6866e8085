#include "verifier/report/json_parts.h"

#include "verifier/ir/words.h"

namespace plumbline::report {

std::string utf8(llvm::StringRef text) { return llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text); }

void printBubble(llvm::json::OStream &json, const check::Bubble &bubble) {
  if (bubble.makespan == 0) {
    json.attribute("idle_share", nullptr);
    json.attribute("makespan", nullptr);
    return;
  }
  json.attribute("idle_share", static_cast<double>(bubble.idle) / static_cast<double>(bubble.total));
  const auto makespan = static_cast<std::int64_t>(bubble.makespan);
  if (makespan % bubble.ticksPerUnit == 0)
    json.attribute("makespan", makespan / bubble.ticksPerUnit);
  else
    json.attribute("makespan", static_cast<double>(makespan) / static_cast<double>(bubble.ticksPerUnit));
}

void JsonParts::printError() {
  const Diagnostic &error = *report_.invalid;
  json_.attributeObject("error", [&] {
    json_.attribute("message", utf8(error.message));
    json_.attributeObject("location", [&] { printPlace(error.file, error.line, error.column); });
  });
}

void JsonParts::printProgram() {
  const Program &program = report_.program;
  json_.attributeObject("program", [&] {
    json_.attribute("ranks", program.rankCount());
    json_.attribute("stages", program.stageCount());
    json_.attribute("microbatches", program.microbatches);
    json_.attribute("instructions", static_cast<std::int64_t>(program.instructions.size()));
    json_.attribute("mode", name(program.mode));
    json_.attribute("replicas", program.replicas);
  });
}

void JsonParts::printModel() {
  const ModelWords words = wordsOf(report_.model);
  json_.attributeObject("model", [&] {
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
  });
}

void JsonParts::printPlace(llvm::StringRef file, std::uint32_t line, std::uint32_t column) {
  json_.attribute("file", utf8(file));
  json_.attribute("line", line);
  json_.attribute("column", column);
}

void JsonParts::printLocation(SourceLocation location) {
  if (!location.valid()) {
    json_.attribute("location", nullptr);
    return;
  }
  json_.attributeObject("location",
                        [&] { printPlace(fileOf(report_.program, location), location.line, location.column); });
}

void JsonParts::printFinding(const check::Finding &finding) {
  json_.attribute("rule", nameOf(finding.rule));
  json_.attribute("severity", nameOf(finding.severity));
  json_.attribute("message", utf8(finding.message));
  printId(json_, "rank", finding.rank);
  printId(json_, "stage", finding.stage);
  printId(json_, "microbatch", finding.microbatch);
  if (finding.instruction.valid())
    json_.attribute("instruction", utf8(plumbline::nameOf(report_.program, finding.instruction)));
  else
    json_.attribute("instruction", nullptr);
  printLocation(finding.location);
  printRelated("related", finding.related);
  printRelated("cycle", finding.cycle);
}

void JsonParts::printRelated(llvm::StringRef key, llvm::ArrayRef<check::Related> list) {
  json_.attributeArray(key, [&] {
    for (const check::Related &related : list)
      json_.object([&] {
        json_.attribute("message", utf8(related.message));
        if (related.instruction.valid()) {
          const Instruction &i = report_.program.at(related.instruction);
          json_.attribute("instruction", utf8(plumbline::nameOf(report_.program, related.instruction)));
          printId(json_, "rank", i.rank);
          printId(json_, "stage", i.stage);
          printId(json_, "microbatch", i.microbatch);
        }
        printLocation(placeOf(report_.program, related.instruction));
      });
  });
}

} // namespace plumbline::report
