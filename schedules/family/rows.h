// The order of work of every rank, written down action by action.
#pragma once

#include "verifier/ir/schedule.h"

#include <cstdint>
#include <vector>

namespace plumbline::schedules {

// One rank's order. Each call appends one action.
class Row {
public:
  void forward(StageId stage, std::int32_t microbatch) { add(Opcode::forward, stage, microbatch); }
  // The full backward pass; or its two halves, which may stand apart.
  void backward(StageId stage, std::int32_t microbatch) { add(Opcode::backward, stage, microbatch); }
  void backwardInput(StageId stage, std::int32_t microbatch) { add(Opcode::backward_input, stage, microbatch); }
  void backwardWeight(StageId stage, std::int32_t microbatch) { add(Opcode::backward_weight, stage, microbatch); }
  // A forward and a full backward pass that run as one overlapped call.
  void overlapped(StageId forwardStage, std::int32_t forwardMicrobatch, StageId backwardStage,
                  std::int32_t backwardMicrobatch);
  void add(Opcode opcode, StageId stage, std::int32_t microbatch);

  std::vector<Action> actions; // groups are numbered within the row
  std::int32_t groups = 0;
};

// By rank.
using Rows = std::vector<Row>;

} // namespace plumbline::schedules
