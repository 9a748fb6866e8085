#include "runtime/train/trace.h"

#include "verifier/ir/words.h"

#include "llvm/Support/JSON.h"

namespace plumbline::runtime {
namespace {

std::string utf8(const std::string &text) { return llvm::json::isUTF8(text) ? text : llvm::json::fixUTF8(text); }

void printName(llvm::json::OStream &json, const char *what, std::int64_t rank, std::int64_t lane,
               const std::string &name) {
  json.object([&] {
    json.attribute("ph", "M");
    json.attribute("name", what);
    json.attribute("pid", rank);
    json.attribute("tid", lane);
    json.attributeObject("args", [&] { json.attribute("name", utf8(name)); });
  });
}

void printBar(llvm::json::OStream &json, const Plan &plan, InstructionIndex i, Span span, std::int64_t lane) {
  const Instruction &instruction = plan.instruction(i);
  json.object([&] {
    json.attribute("ph", "X");
    json.attribute("name", utf8(nameOf(*plan.program, InstructionId(static_cast<std::int32_t>(i)))));
    json.attribute("cat", name(instruction.opcode));
    json.attribute("pid", instruction.rank.value());
    json.attribute("tid", lane);
    json.attribute("ts", static_cast<double>(span.begin) / 1000);
    json.attribute("dur", static_cast<double>(span.end - span.begin) / 1000);
    json.attributeObject("args", [&] {
      if (instruction.stage.valid())
        json.attribute("stage", instruction.stage.value());
      if (instruction.microbatch.valid())
        json.attribute("microbatch", instruction.microbatch.value());
      if (instruction.location.valid())
        json.attribute("line", instruction.location.line);
    });
  });
}

} // namespace

void printTrace(const Plan &plan, llvm::ArrayRef<Span> spans, llvm::raw_ostream &out) {
  llvm::json::OStream json(out);
  json.object([&] {
    json.attribute("displayTimeUnit", "ms");
    json.attributeArray("traceEvents", [&] {
      for (std::int32_t rank = 0; rank < plan.program->rankCount(); ++rank) {
        printName(json, "process_name", rank, 0, "rank " + std::to_string(rank));
        const auto r = static_cast<std::size_t>(rank);
        for (std::uint32_t lane = plan.rankLanes[r]; lane < plan.rankLanes[r + 1]; ++lane) {
          const CommunicatorId communicator = plan.lanes[lane].communicator;
          const std::int64_t row = lane - plan.rankLanes[r];
          printName(json, "thread_name", rank, row,
                    communicator.valid()
                        ? plan.program->communicators[static_cast<std::size_t>(communicator.value())].name
                    : plan.options.kind == model::Kind::blocking ? "everything"
                                                                 : "computing");
          for (const StepIndex step : plan.lanes[lane].steps)
            for (InstructionIndex i = plan.steps[step].first; i < plan.steps[step].first + plan.steps[step].members;
                 ++i)
              if (spans[i].end >= 0 && (plan.options.kind == model::Kind::blocking ||
                                        (needsOthers(plan.instruction(i)) ? plan.instruction(i).communicator
                                                                          : CommunicatorId()) == communicator))
                printBar(json, plan, i, spans[i], row);
        }
      }
    });
  });
  out << '\n';
}

} // namespace plumbline::runtime
