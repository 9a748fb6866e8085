#include "runtime/plan/plan.h"

#include "runtime/plan/builder.h"

namespace plumbline::runtime {

bool isCollective(const Instruction &i) {
  switch (i.opcode) {
  case Opcode::broadcast:
  case Opcode::all_reduce:
  case Opcode::unshard:
  case Opcode::reshard:
  case Opcode::reduce_gradients:
  case Opcode::reduce_tied_gradients:
    return i.communicator.valid();
  default:
    return false;
  }
}

bool needsOthers(const Instruction &i) { return isPointToPoint(i.opcode) || isCollective(i); }

Plan makePlan(const Program &program, const model::Options &options, std::string &wrong) {
  Plan plan;
  plan.program = &program;
  plan.options = options;
  if (options.streams == model::Streams::any)
    wrong = "a backend runs the queues of a rank independently of each other; --streams any is a question for the "
            "verifier only";
  formSteps(plan);
  formLanes(plan);
  openChannels(plan);
  gatherCollectives(plan, wrong);
  if (options.grouping == model::Grouping::atomic)
    tieLaunches(plan);
  addPrerequisites(plan);
  return plan;
}

} // namespace plumbline::runtime
