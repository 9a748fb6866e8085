#include "verifier/backend/pytorch_csv_print.h"

#include "verifier/ir/framework_words.h"

namespace plumbline::backend {
namespace {

std::string cellOf(const Action &action) {
  std::string cell = std::to_string(action.stage.value()) + pytorchWord(action.opcode);
  return action.microbatch.valid() ? cell + std::to_string(action.microbatch.value()) : cell;
}

// Launches of messages are the matter of a batches file; only overlapped computing is one cell.
bool isOverlap(const Action &action) { return action.group.valid() && !isPointToPoint(action.opcode); }

std::string rowOf(const std::vector<Action> &row) {
  std::string text;
  for (std::size_t k = 0; k < row.size(); ++k) {
    const bool inside = isOverlap(row[k]);
    const bool opens = inside && (k == 0 || row[k - 1].group != row[k].group);
    const bool closes = inside && (k + 1 == row.size() || row[k + 1].group != row[k].group);
    if (k > 0)
      text += inside && !opens ? ';' : ',';
    if (opens)
      text += '(';
    text += cellOf(row[k]);
    if (closes)
      text += ")OVERLAP_F_B";
  }
  return text;
}

} // namespace

Result<std::string> toPyTorchCsv(const Schedule &schedule) {
  const auto refused = [&](std::string why) { return Diagnostic{schedule.name, 0, 0, std::move(why)}; };
  if (schedule.replicas > 1)
    return refused("PyTorch's CSV cannot say which of " + std::to_string(schedule.replicas) +
                   " replicas a stage belongs to; write it as .pir");
  std::string text;
  for (const std::vector<Action> &row : schedule.ranks) {
    for (const Action &action : row)
      if (!pytorchWord(action.opcode) || !action.stage.valid())
        return refused("PyTorch's CSV has no cell for " + name(action.opcode).str() + "; write it as .pir");
    text += rowOf(row);
    text += '\n';
  }
  return text;
}

} // namespace plumbline::backend
