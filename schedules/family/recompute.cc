#include "schedules/family/recompute.h"

namespace plumbline::schedules {
namespace {

bool startsBackward(Opcode opcode) { return opcode == Opcode::backward || opcode == Opcode::backward_input; }

// Where the schedule names steps and buffers, those of the backward pass.
Action recomputeFor(const Action &backward) {
  Action recompute = backward;
  recompute.opcode = Opcode::recompute;
  recompute.group = GroupId();
  return recompute;
}

Row withRecompute(const Row &row) {
  Row result;
  result.groups = row.groups;
  for (std::size_t begin = 0; begin < row.actions.size();) {
    const GroupId group = row.actions[begin].group;
    std::size_t end = begin + 1;
    while (group.valid() && end < row.actions.size() && row.actions[end].group == group)
      ++end;
    for (std::size_t k = begin; k < end; ++k)
      if (startsBackward(row.actions[k].opcode))
        result.actions.push_back(recomputeFor(row.actions[k]));
    for (; begin < end; ++begin)
      result.actions.push_back(row.actions[begin]);
  }
  return result;
}

} // namespace

void addRecompute(Rows &rows) {
  for (Row &row : rows)
    row = withRecompute(row);
}

} // namespace plumbline::schedules
