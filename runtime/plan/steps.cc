#include "runtime/plan/builder.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace plumbline::runtime {
namespace {

using Connection = std::tuple<std::int32_t, std::int32_t, std::int32_t>; // communicator, own rank, peer

class StepFormer {
public:
  explicit StepFormer(Plan &plan) : plan_(plan), program_(*plan.program) {}

  void run() {
    plan_.stepOf.resize(program_.instructions.size());
    for (std::int32_t rank = 0; rank < program_.rankCount(); ++rank) {
      plan_.rankSteps.push_back(static_cast<std::uint32_t>(plan_.steps.size()));
      formRank(rank);
    }
    plan_.rankSteps.push_back(static_cast<std::uint32_t>(plan_.steps.size()));
    arrangeMeetings();
  }

private:
  void formRank(std::int32_t rank) {
    const IndexRange range = program_.ranks[static_cast<std::size_t>(rank)].instructions;
    const std::uint32_t end = range.first + range.count;
    for (std::uint32_t first = range.first; first < end;) {
      std::uint32_t last = first + 1; // behind the group
      bool launch = needsOthers(program_.instructions[first]);
      for (const GroupId group = program_.instructions[first].group;
           group.valid() && last < end && program_.instructions[last].group == group; ++last)
        launch |= needsOthers(program_.instructions[last]);
      while (first < last)
        first += append(rank, first, pieceOf(last - first, launch));
    }
  }

  // Computations that overlap stay together; launches are taken apart as the model says.
  [[nodiscard]] std::uint32_t pieceOf(std::uint32_t rest, bool launch) const {
    if (!launch)
      return rest;
    if (plan_.options.grouping == model::Grouping::none)
      return 1;
    return plan_.options.plan > 0 ? std::min(rest, static_cast<std::uint32_t>(plan_.options.plan)) : rest;
  }

  std::uint32_t append(std::int32_t rank, std::uint32_t first, std::uint32_t count) {
    Step step;
    step.first = first;
    step.members = count;
    step.rank = rank;
    for (std::uint32_t i = first; i < first + count; ++i) {
      const bool others = needsOthers(program_.instructions[i]);
      step.communicates |= others;
      step.computes |= !others;
    }
    if (plan_.options.connect == model::Connect::firstUse)
      meetFor(step);
    for (std::uint32_t i = first; i < first + count; ++i)
      plan_.stepOf[i] = static_cast<StepIndex>(plan_.steps.size());
    plan_.steps.push_back(step);
    return count;
  }

  // One host step for all connections that `step` is the first to need. Nobody has to meet itself.
  void meetFor(const Step &step) {
    std::vector<Connection> connections;
    for (std::uint32_t i = step.first; i < step.first + step.members; ++i) {
      const Instruction &message = program_.instructions[i];
      if (!isPointToPoint(message.opcode) || message.peer == message.rank)
        continue;
      const Connection connection{message.communicator.value(), step.rank, message.peer.value()};
      if (hostStepOf_.try_emplace(connection, static_cast<StepIndex>(plan_.steps.size())).second)
        connections.push_back(connection);
    }
    if (connections.empty())
      return;
    Step host;
    host.first = step.first;
    host.rank = step.rank;
    connections_.emplace_back(static_cast<StepIndex>(plan_.steps.size()), std::move(connections));
    plan_.steps.push_back(host);
  }

  void arrangeMeetings() {
    plan_.meetingOf.assign(plan_.steps.size(), none);
    for (const auto &[step, connections] : connections_) {
      Meeting meeting;
      meeting.step = step;
      for (const auto &[communicator, rank, peer] : connections) {
        const auto other = hostStepOf_.find({communicator, peer, rank});
        meeting.others.push_back(other == hostStepOf_.end() ? none : other->second);
      }
      plan_.meetingOf[step] = static_cast<std::uint32_t>(plan_.meetings.size());
      plan_.meetings.push_back(std::move(meeting));
    }
  }

  Plan &plan_;
  const Program &program_;
  std::map<Connection, StepIndex> hostStepOf_;
  std::vector<std::pair<StepIndex, std::vector<Connection>>> connections_;
};

} // namespace

void formSteps(Plan &plan) { StepFormer(plan).run(); }

} // namespace plumbline::runtime
