#include "runtime/plan/builder.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

namespace plumbline::runtime {
namespace {

// Which steps have to end before which begin, as pairs; then as the arrays of a Plan.
class Prerequisites {
public:
  explicit Prerequisites(Plan &plan) : plan_(plan) {}

  void add(StepIndex before, StepIndex after) {
    if (before != after)
      pairs_.emplace_back(before, after);
  }

  void finish() {
    llvm::sort(pairs_);
    pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
    plan_.followersOf.assign(plan_.steps.size() + 1, 0);
    for (const auto &[before, after] : pairs_) {
      ++plan_.followersOf[before + 1];
      ++plan_.steps[after].prerequisites;
      plan_.followers.push_back(after);
    }
    for (std::size_t s = 1; s < plan_.followersOf.size(); ++s)
      plan_.followersOf[s] += plan_.followersOf[s - 1];
  }

private:
  Plan &plan_;
  std::vector<std::pair<StepIndex, StepIndex>> pairs_;
};

// Rule 1 and 2: behind the step before in each queue, and behind what is waited on.
void addQueuesAndWaits(const Plan &plan, Prerequisites &prerequisites) {
  for (const Lane &lane : plan.lanes)
    for (std::size_t k = 1; k < lane.steps.size(); ++k)
      prerequisites.add(lane.steps[k - 1], lane.steps[k]);
  for (const auto &[index, instruction] : llvm::enumerate(plan.program->instructions))
    for (const InstructionId awaited : plan.program->waitsOf(instruction))
      prerequisites.add(plan.stepOf[static_cast<std::size_t>(awaited.value())], plan.stepOf[index]);
}

// What a rank's host does one after the other: it waits for launches (--wait group) and makes connections.
void addHostOrder(const Plan &plan, std::uint32_t first, std::uint32_t end, Prerequisites &prerequisites) {
  const bool blocking = plan.options.kind == model::Kind::blocking;
  const bool waitsForLaunches = blocking || plan.options.wait == model::Wait::group;
  StepIndex awaited = none, host = none; // the last of each
  for (StepIndex s = first; s < end; ++s) {
    const Step &step = plan.steps[s];
    if (host != none)
      prerequisites.add(host, s);
    if (awaited != none)
      prerequisites.add(awaited, s);
    if (step.members == 0)
      host = s;
    else if (waitsForLaunches && (blocking || step.communicates))
      awaited = s;
  }
}

} // namespace

void formLanes(Plan &plan) {
  const bool single = plan.options.kind == model::Kind::blocking;
  for (std::int32_t rank = 0; rank < plan.program->rankCount(); ++rank) {
    plan.rankLanes.push_back(static_cast<std::uint32_t>(plan.lanes.size()));
    plan.lanes.push_back({rank, CommunicatorId(), {}});
    llvm::DenseMap<std::int32_t, std::size_t> laneOf;
    laneOf[-1] = plan.lanes.size() - 1;
    for (StepIndex s = plan.rankSteps[static_cast<std::size_t>(rank)];
         s < plan.rankSteps[static_cast<std::size_t>(rank) + 1]; ++s)
      for (std::uint32_t i = plan.steps[s].first; i < plan.steps[s].first + plan.steps[s].members; ++i) {
        const Instruction &instruction = plan.instruction(i);
        const CommunicatorId communicator =
            single || !needsOthers(instruction) ? CommunicatorId() : instruction.communicator;
        const auto [entry, isNew] = laneOf.try_emplace(communicator.value(), plan.lanes.size());
        if (isNew)
          plan.lanes.push_back({rank, communicator, {}});
        std::vector<StepIndex> &queue = plan.lanes[entry->second].steps;
        if (queue.empty() || queue.back() != s)
          queue.push_back(s);
      }
  }
  plan.rankLanes.push_back(static_cast<std::uint32_t>(plan.lanes.size()));
}

void addPrerequisites(Plan &plan) {
  Prerequisites prerequisites(plan);
  addQueuesAndWaits(plan, prerequisites);
  for (std::size_t r = 0; r + 1 < plan.rankSteps.size(); ++r)
    addHostOrder(plan, plan.rankSteps[r], plan.rankSteps[r + 1], prerequisites);
  prerequisites.finish();
}

} // namespace plumbline::runtime
