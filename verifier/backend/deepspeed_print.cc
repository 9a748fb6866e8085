#include "verifier/backend/deepspeed_print.h"

#include "verifier/ir/framework_words.h"

#include "llvm/ADT/STLExtras.h"

namespace plumbline::backend {
namespace {

std::string textOf(const Action &action) {
  const std::string called = deepSpeedWord(action.opcode);
  return action.buffer < 0 ? called + "()" : called + "(buffer_id=" + std::to_string(action.buffer) + ")";
}

std::string stepsOf(const std::vector<Action> &row, std::int32_t steps) {
  std::string text;
  std::size_t next = 0;
  for (std::int32_t step = 0; step < steps; ++step) {
    text += '[';
    for (bool first = true; next < row.size() && row[next].step == step; first = false)
      text += (first ? "" : ", ") + textOf(row[next++]);
    text += "]\n";
  }
  return text;
}

} // namespace

Result<std::string> toDeepSpeedText(const Schedule &schedule) {
  std::string text;
  for (const auto &[rank, row] : llvm::enumerate(schedule.ranks)) {
    for (const Action &action : row)
      if (!deepSpeedWord(action.opcode))
        return Diagnostic{schedule.name, 0, 0,
                          "DeepSpeed's engine has no instruction for " + name(action.opcode).str() +
                              "; write it as .pir"};
    const RankBuffers &buffers = schedule.buffers[rank];
    text += "# stage " + std::to_string(rank) + " of " + std::to_string(schedule.ranks.size()) + ", micro_batches " +
            std::to_string(schedule.microbatches) + ", num_pipe_buffers " + std::to_string(buffers.declared) + "\n" +
            stepsOf(row, buffers.steps);
  }
  return text;
}

} // namespace plumbline::backend
