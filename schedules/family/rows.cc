#include "schedules/family/rows.h"

namespace plumbline::schedules {

void Row::add(Opcode opcode, StageId stage, std::int32_t microbatch) {
  Action action;
  action.opcode = opcode;
  action.stage = stage;
  action.microbatch = MicrobatchId(microbatch);
  actions.push_back(action);
}

void Row::overlapped(StageId forwardStage, std::int32_t forwardMicrobatch, StageId backwardStage,
                     std::int32_t backwardMicrobatch) {
  const GroupId group(groups++);
  forward(forwardStage, forwardMicrobatch);
  actions.back().group = group;
  backward(backwardStage, backwardMicrobatch);
  actions.back().group = group;
}

} // namespace plumbline::schedules
