#include "runtime/train/trace.h"

#include "verifier/ir/words.h"
#include "verifier/report/trace_events.h"

namespace plumbline::runtime {
namespace {

void printBar(report::TraceEvents &events, const Plan &plan, InstructionIndex i, Span span, report::TraceRow row) {
  const Instruction &instruction = plan.instruction(i);
  events.bar(row, nameOf(*plan.program, InstructionId(static_cast<std::int32_t>(i))), name(instruction.opcode),
             span.begin, span.end, [&](llvm::json::OStream &json) { report::printInstruction(json, instruction); });
}

// An instruction in a launch on several communicators has its bar in its own one's row.
bool standsIn(const Plan &plan, InstructionIndex i, CommunicatorId communicator) {
  if (plan.options.kind == model::Kind::blocking)
    return true;
  const Instruction &instruction = plan.instruction(i);
  return (needsOthers(instruction) ? instruction.communicator : CommunicatorId()) == communicator;
}

void printLane(report::TraceEvents &events, const Plan &plan, llvm::ArrayRef<Span> spans, std::uint32_t lane,
               report::TraceRow row) {
  const CommunicatorId communicator = plan.lanes[lane].communicator;
  events.nameRow(row, communicator.valid()
                          ? plan.program->communicators[static_cast<std::size_t>(communicator.value())].name
                      : plan.options.kind == model::Kind::blocking ? "everything"
                                                                   : "computing");
  for (const StepIndex step : plan.lanes[lane].steps)
    for (InstructionIndex i = plan.steps[step].first; i < plan.steps[step].first + plan.steps[step].members; ++i)
      if (spans[i].end >= 0 && standsIn(plan, i, communicator))
        printBar(events, plan, i, spans[i], row);
}

} // namespace

void printTrace(const Plan &plan, llvm::ArrayRef<Span> spans, llvm::raw_ostream &out) {
  report::printTraceDocument(out, "", [&](report::TraceEvents &events) {
    for (std::int32_t rank = 0; rank < plan.program->rankCount(); ++rank) {
      events.nameProcess(rank, "rank " + std::to_string(rank));
      const auto r = static_cast<std::size_t>(rank);
      for (std::uint32_t lane = plan.rankLanes[r]; lane < plan.rankLanes[r + 1]; ++lane)
        printLane(events, plan, spans, lane, {rank, static_cast<std::int32_t>(lane - plan.rankLanes[r])});
    }
  });
}

} // namespace plumbline::runtime
