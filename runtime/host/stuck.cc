#include "runtime/host/stuck.h"

#include "verifier/ir/words.h"

namespace plumbline::runtime {
namespace {

std::string nameOfStep(const Plan &plan, StepIndex step) {
  return fullNameOf(*plan.program, InstructionId(static_cast<std::int32_t>(plan.steps[step].first)));
}

// A step of the same rank that has not ended and has to.
StepIndex awaitedBy(const Plan &plan, const Machine &machine, StepIndex step) {
  const auto rank = static_cast<std::size_t>(plan.steps[step].rank);
  for (StepIndex before = plan.rankSteps[rank]; before < plan.rankSteps[rank + 1]; ++before)
    for (const StepIndex follower : plan.followersOfStep(before))
      if (follower == step && !machine.ended(before))
        return before;
  return none;
}

std::string reasonOf(const Plan &plan, const Machine &machine, StepIndex step) {
  if (!machine.begun(step)) {
    const StepIndex awaited = awaitedBy(plan, machine, step);
    if (awaited == none)
      return "has not begun";
    return plan.steps[awaited].members == 0
               ? "has not begun: a connection for " + nameOfStep(plan, awaited) + " is not made"
               : "has not begun: it waits for " + nameOfStep(plan, awaited);
  }
  for (InstructionIndex i = plan.steps[step].first; i < plan.steps[step].first + plan.steps[step].members; ++i) {
    const Instruction &instruction = plan.instruction(i);
    if (isPointToPoint(instruction.opcode))
      return std::string("has begun, and rank ") + std::to_string(instruction.peer.value()) + " does not " +
             (isSend(instruction.opcode) ? "receive" : "send");
  }
  return "has begun, and other ranks do not join";
}

} // namespace

std::vector<std::string> describeStuck(const Plan &plan, const Machine &machine) {
  std::vector<std::string> lines;
  for (const Lane &lane : plan.lanes)
    for (const StepIndex step : lane.steps) {
      if (machine.ended(step))
        continue;
      std::string queue = "computing";
      if (lane.communicator.valid())
        queue = "communicator '" +
                plan.program->communicators[static_cast<std::size_t>(lane.communicator.value())].name + "'";
      else if (plan.options.kind == model::Kind::blocking)
        queue = "its only queue";
      const SourceLocation &place = plan.instruction(plan.steps[step].first).location;
      std::string where;
      if (place.valid())
        where = plan.program->files[static_cast<std::size_t>(place.file.value())] + ":" + std::to_string(place.line) +
                ":" + std::to_string(place.column) + ": ";
      lines.push_back(where + nameOfStep(plan, step) + " (" + queue + ") " + reasonOf(plan, machine, step));
      break;
    }
  return lines;
}

} // namespace plumbline::runtime
