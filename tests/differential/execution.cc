#include "tests/differential/execution.h"

#include <algorithm>

namespace plumbline::oracle {

Execution::Execution(const Layout &layout) : layout_(&layout) { reset(); }

void Execution::reset(Withheld withheld) {
  withheld_ = withheld;
  clock_ = 0;
  beginTime_.assign(layout_->units.size(), -1);
  ended_.assign(layout_->units.size(), 0);
  completionTime_.assign(layout_->unitOf.size(), -1);
  next_.assign(layout_->lanes.size(), 0);
  hostBegun_.assign(layout_->hostSteps.size(), 0);
  begunUnits_.assign(layout_->components.size(), 0);
  oldestCommunicating_.assign(layout_->program.ranks.size(), 0);
  nextHostStep_.assign(layout_->program.ranks.size(), 0);
  for (std::size_t r = 0; r < layout_->program.ranks.size(); ++r) {
    skipEndedCommunication(static_cast<int>(r));
    nextHostStep_[r] = layout_->firstHostStep[r];
  }
}

void Execution::skipEndedCommunication(int rank) {
  int &u = oldestCommunicating_[rank];
  if (u < layout_->firstUnit[rank])
    u = layout_->firstUnit[rank];
  while (u < layout_->firstUnit[rank + 1] && (ended_[u] || !layout_->units[u].communicates))
    ++u;
}

bool Execution::waitsDone(int unit) const {
  const Unit &u = layout_->units[unit];
  if (!atHead(unit) || (layout_->options.wait == model::Wait::group && oldestCommunicating_[u.rank] < unit))
    return false;
  for (int i = u.firstMember; i < u.firstMember + u.memberCount; ++i) {
    if (i == withheld_.begin)
      return false;
    for (const InstructionId w : layout_->program.waitsOf(layout_->program.instructions[i]))
      if (!ended_[layout_->unitOf[w.value()]])
        return false;
  }
  return true;
}

bool Execution::atHead(int unit) const {
  const std::vector<int> &lanes = layout_->units[unit].lanes;
  return std::all_of(lanes.begin(), lanes.end(), [&](int lane) { return head(lane) == unit; });
}

// The host issues a unit when the connections of this and all earlier units of the rank are made.
bool Execution::connected(int unit) const {
  const int rank = layout_->units[unit].rank;
  const int step = nextHostStep_[rank];
  return step == layout_->firstHostStep[rank + 1] || layout_->hostSteps[step].unit > unit;
}

void Execution::begin(int unit) {
  beginTime_[unit] = clock_++;
  if (const int component = layout_->units[unit].component; component >= 0)
    ++begunUnits_[component];
}

bool Execution::mayComplete(int instruction) const {
  if (instruction == withheld_.completion)
    return false;
  const auto [ending, of] = layout_->endings[instruction];
  switch (ending) {
  case Ending::free:
    return true;
  case Ending::never:
    return false;
  case Ending::partner:
    return begun(layout_->unitOf[of]);
  case Ending::completion:
    return completed(of);
  case Ending::operation:
    return std::all_of(layout_->operations[of].begin(), layout_->operations[of].end(),
                       [&](int member) { return begun(layout_->unitOf[member]); });
  case Ending::component:
    return !layout_->components[of].broken && begunUnits_[of] == layout_->components[of].units;
  }
  return false;
}

bool Execution::complete(int instruction) {
  if (completed(instruction) || !begun(layout_->unitOf[instruction]) || !mayComplete(instruction))
    return false;
  completionTime_[instruction] = clock_++;
  return true;
}

bool Execution::end(int unit) {
  const Unit &u = layout_->units[unit];
  if (ended_[unit] || !begun(unit))
    return false;
  for (int i = u.firstMember; i < u.firstMember + u.memberCount; ++i)
    if (!completed(i))
      return false;
  ended_[unit] = 1;
  for (const int lane : u.lanes)
    ++next_[lane];
  skipEndedCommunication(u.rank);
  return true;
}

bool Execution::beginHostStep(int rank) {
  const int step = nextHostStep_[rank];
  if (step == layout_->firstHostStep[rank + 1] || hostBegun_[step])
    return false;
  const int unit = layout_->hostSteps[step].unit;
  if (layout_->options.wait == model::Wait::group && oldestCommunicating_[rank] < unit)
    return false;
  // A blocking host comes to this step when all before it is done.
  if (layout_->options.kind == model::Kind::blocking && !atHead(unit))
    return false;
  hostBegun_[step] = 1;
  return true;
}

bool Execution::endHostStep(int rank) {
  const int step = nextHostStep_[rank];
  if (step == layout_->firstHostStep[rank + 1] || !hostBegun_[step])
    return false;
  const HostStep &s = layout_->hostSteps[step];
  if (s.broken || !std::all_of(s.partners.begin(), s.partners.end(), [&](int p) { return hostBegun_[p] != 0; }))
    return false;
  ++nextHostStep_[rank];
  return true;
}

bool Execution::moveHost(int rank) {
  bool moved = false;
  for (;;) {
    const bool begun = beginHostStep(rank);
    const bool ended = endHostStep(rank);
    if (!begun && !ended)
      return moved;
    moved = true;
  }
}

bool Execution::finish(int unit) {
  const Unit &u = layout_->units[unit];
  bool moved = false;
  for (int i = u.firstMember; i < u.firstMember + u.memberCount; ++i)
    moved |= complete(i);
  return end(unit) || moved;
}

bool Execution::advance(bool mayBeginUnits) {
  bool moved = false;
  for (int r = 0; r < layout_->program.rankCount(); ++r) {
    moved |= moveHost(r);
    for (int lane = layout_->firstLane[r]; lane < layout_->firstLane[r + 1]; ++lane)
      for (int unit = head(lane); unit >= 0; unit = head(lane)) {
        if (!begun(unit)) {
          if (!mayBeginUnits || !mayBegin(unit))
            break;
          begin(unit);
          moved = true;
        }
        moved |= finish(unit);
        if (!ended(unit))
          break;
      }
  }
  return moved;
}

void Execution::settle() {
  while (advance(false)) {
  }
}

void Execution::runToTheEnd() {
  while (advance(true)) {
  }
}

} // namespace plumbline::oracle
