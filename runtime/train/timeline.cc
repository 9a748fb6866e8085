#include "runtime/train/timeline.h"

#include "runtime/host/machine.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <queue>

namespace plumbline::runtime {
namespace {

bool isPass(Opcode opcode) { return opcode == Opcode::forward || opcode == Opcode::recompute || isBackward(opcode); }

struct Timed {
  std::int64_t time = 0;
  std::uint64_t order = 0; // of arrival, for equal times
  Event event;
  bool operator>(const Timed &other) const { return std::tie(time, order) > std::tie(other.time, other.order); }
};

} // namespace

IdleTime idleTimeOf(const Plan &plan, llvm::ArrayRef<Span> spans) {
  const auto ranks = static_cast<std::size_t>(plan.program->rankCount());
  std::vector<std::int64_t> busy(ranks, 0);
  std::int64_t first = INT64_MAX, last = 0;
  for (InstructionIndex i = 0; i < spans.size(); ++i)
    if (isPass(plan.instruction(i).opcode) && spans[i].end >= 0) {
      busy[static_cast<std::size_t>(plan.instruction(i).rank.value())] += spans[i].end - spans[i].begin;
      first = std::min(first, spans[i].begin);
      last = std::max(last, spans[i].end);
    }
  IdleTime idle;
  idle.byRank.assign(ranks, 0);
  if (last <= first)
    return idle;
  idle.makespan = last - first;
  for (std::size_t r = 0; r < ranks; ++r) {
    idle.byRank[r] = 1 - static_cast<double>(busy[r]) / static_cast<double>(idle.makespan);
    idle.share += idle.byRank[r] / static_cast<double>(ranks);
  }
  return idle;
}

std::vector<Span> predict(const Plan &plan, llvm::ArrayRef<std::int64_t> durations) {
  Effects nothing;
  Machine machine(plan, nothing);
  std::vector<Span> spans(durations.size());
  std::priority_queue<Timed, std::vector<Timed>, std::greater<>> queue;
  std::vector<std::int64_t> freeAt(plan.program->ranks.size(), 0);
  std::uint64_t order = 0;
  const auto schedule = [&](std::int64_t now, const Agenda &agenda) {
    for (const Event event : agenda) {
      std::int64_t time = now;
      const Instruction *i = event.kind == Event::Kind::complete ? &plan.instruction(event.index) : nullptr;
      if (i && !needsOthers(*i)) {
        std::int64_t &free = freeAt[static_cast<std::size_t>(i->rank.value())];
        spans[event.index].begin = std::max(now, free);
        time = free = spans[event.index].end = spans[event.index].begin + durations[event.index];
      }
      queue.push({time, order++, event});
    }
  };
  Agenda agenda;
  for (std::int32_t rank = 0; rank < plan.program->rankCount(); ++rank)
    machine.start(rank, agenda);
  schedule(0, agenda);
  while (!queue.empty()) {
    const Timed next = queue.top();
    queue.pop();
    agenda.clear();
    machine.happen(next.event, agenda);
    schedule(next.time, agenda);
  }
  return spans;
}

std::vector<std::int64_t> meanDurations(const Plan &plan, llvm::ArrayRef<Span> spans) {
  struct Sum {
    std::int64_t time = 0, count = 0;
  };
  std::map<std::pair<Opcode, std::int32_t>, Sum> sums;
  const auto keyOf = [&](const Instruction &i) {
    return std::make_pair(i.opcode, i.stage.value() % plan.program->stagesPerReplica);
  };
  for (InstructionIndex i = 0; i < spans.size(); ++i)
    if (isPass(plan.instruction(i).opcode) && spans[i].end >= 0) {
      Sum &sum = sums[keyOf(plan.instruction(i))];
      sum.time += spans[i].end - spans[i].begin;
      ++sum.count;
    }
  std::vector<std::int64_t> durations(spans.size(), 0);
  for (InstructionIndex i = 0; i < spans.size(); ++i)
    if (isPass(plan.instruction(i).opcode))
      if (const Sum &sum = sums[keyOf(plan.instruction(i))]; sum.count > 0)
        durations[i] = sum.time / sum.count;
  return durations;
}

} // namespace plumbline::runtime
