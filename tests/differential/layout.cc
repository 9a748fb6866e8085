#include "tests/differential/layout.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace plumbline::oracle {
namespace {

bool isCommunication(const Instruction &i) { return isPointToPoint(i.opcode) || isCollective(i); }

// How many of the rank's instructions from `at` on begin together, once groups are cut as the model wants it. Only a
// group that communicates is a launch and is cut.
int nextUnitSize(llvm::ArrayRef<Instruction> row, std::size_t at, const model::Options &options) {
  const GroupId group = row[at].group;
  if (!group.valid())
    return 1;
  bool launch = false;
  int left = 0;
  for (std::size_t k = 0; k < row.size(); ++k)
    if (row[k].group == group) {
      launch |= isCommunication(row[k]);
      left += k >= at ? 1 : 0;
    }
  if (launch && options.grouping == model::Grouping::none)
    return 1;
  return launch && options.plan > 0 ? std::min(left, static_cast<int>(options.plan)) : left;
}

// One direction between two ranks on one communicator.
struct Channel {
  std::vector<int> sends;
  std::vector<int> receives;
};

class ChannelRules {
public:
  ChannelRules(const Program &program, const model::Options &options, const Channel &channel,
               std::vector<EndRule> &endings)
      : program_(program), options_(options), channel_(channel), endings_(endings) {}

  void apply() {
    const int sends = static_cast<int>(channel_.sends.size());
    const int receives = static_cast<int>(channel_.receives.size());
    for (int n = 0; n < receives; ++n)
      endings_[at(channel_.receives[n])] =
          n < sends ? EndRule{Ending::partner, channel_.sends[n]} : EndRule{Ending::never, -1};
    for (int n = 0; n < sends; ++n)
      endings_[at(channel_.sends[n])] = endOfSend(n);
  }

private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  std::uint64_t bytes(int n) const { return program_.instructions[at(channel_.sends[n])].bytes; }

  EndRule endOfSend(int n) const {
    const bool hasByteLimit = options_.roomBytes >= 0;
    if (hasByteLimit && options_.kind == model::Kind::mpi)
      return bytes(n) > 0 && bytes(n) <= limit() ? EndRule{Ending::free, -1} : rendezvous(n);
    if (hasByteLimit)
      return endWithByteRoom(n);
    const CommunicatorId c = program_.instructions[at(channel_.sends[n])].communicator;
    const std::int32_t own = program_.communicators[at(c.value())].room;
    const int room = own >= 0 ? own : options_.room;
    if (room == 0)
      return rendezvous(n);
    return n < room ? EndRule{Ending::free, -1} : afterReceive(n - room);
  }

  // The message goes into the buffer once it fits in behind those that are still to be received.
  EndRule endWithByteRoom(int n) const {
    if (bytes(n) == 0 || bytes(n) > limit())
      return rendezvous(n);
    std::uint64_t left = limit() - bytes(n);
    int j = n - 1;
    for (; j >= 0 && bytes(j) > 0 && bytes(j) <= left; --j)
      left -= bytes(j);
    return j < 0 ? EndRule{Ending::free, -1} : afterReceive(j);
  }

  EndRule rendezvous(int n) const {
    return n < static_cast<int>(channel_.receives.size()) ? EndRule{Ending::partner, channel_.receives[n]}
                                                          : EndRule{Ending::never, -1};
  }
  EndRule afterReceive(int n) const {
    return n < static_cast<int>(channel_.receives.size()) ? EndRule{Ending::completion, channel_.receives[n]}
                                                          : EndRule{Ending::never, -1};
  }
  std::uint64_t limit() const { return static_cast<std::uint64_t>(options_.roomBytes); }

  const Program &program_;
  const model::Options &options_;
  const Channel &channel_;
  std::vector<EndRule> &endings_;
};

} // namespace

bool isCollective(const Instruction &i) {
  switch (i.opcode) {
  case Opcode::broadcast:
  case Opcode::all_reduce:
  case Opcode::reduce_gradients:
  case Opcode::reduce_tied_gradients:
  case Opcode::unshard:
  case Opcode::reshard:
    return i.communicator.valid();
  default:
    return false;
  }
}

Layout::Layout(const Program &programToRun, const model::Options &modelOptions)
    : program(programToRun), options(modelOptions), endings(program.instructions.size()),
      messagePartner(program.instructions.size(), -1) {
  formUnits();
  formLanes();
  matchMessages();
  matchCollectives();
  if (options.grouping == model::Grouping::atomic)
    connectAtomically();
  findFirstUses();
}

void Layout::formUnits() {
  unitOf.resize(program.instructions.size());
  for (int r = 0; r < program.rankCount(); ++r) {
    firstUnit.push_back(static_cast<int>(units.size()));
    const llvm::ArrayRef<Instruction> row = program.instructionsOf(RankId(r));
    const int first = static_cast<int>(program.ranks[r].instructions.first);
    for (std::size_t next = 0; next < row.size();) {
      Unit unit;
      unit.rank = r;
      unit.firstMember = first + static_cast<int>(next);
      unit.memberCount = nextUnitSize(row, next, options);
      for (int k = 0; k < unit.memberCount; ++k) {
        unitOf[unit.firstMember + k] = static_cast<int>(units.size());
        unit.communicates |= isCommunication(row[next + k]);
      }
      next += unit.memberCount;
      units.push_back(unit);
    }
  }
  firstUnit.push_back(static_cast<int>(units.size()));
}

void Layout::formLanes() {
  std::vector<int> laneOfQueue(program.communicators.size() + 1);
  for (int r = 0; r < program.rankCount(); ++r) {
    firstLane.push_back(static_cast<int>(lanes.size()));
    std::fill(laneOfQueue.begin(), laneOfQueue.end(), -1);
    for (int u = firstUnit[r]; u < firstUnit[r + 1]; ++u)
      for (int k = 0; k < units[u].memberCount; ++k) {
        const Instruction &member = program.instructions[units[u].firstMember + k];
        const bool ownQueue = options.kind != model::Kind::blocking && isCommunication(member);
        int &lane = laneOfQueue[ownQueue ? member.communicator.value() + 1 : 0];
        if (lane < 0) {
          lane = static_cast<int>(lanes.size());
          lanes.emplace_back().rank = r;
        }
        if (!lanes[lane].units.empty() && lanes[lane].units.back() == u)
          continue;
        units[u].lanes.push_back(lane);
        lanes[lane].units.push_back(u);
      }
  }
  firstLane.push_back(static_cast<int>(lanes.size()));
}

void Layout::matchMessages() {
  std::map<std::tuple<int, int, int>, Channel> channels; // sender, receiver, communicator
  for (int i = 0; i < static_cast<int>(program.instructions.size()); ++i) {
    const Instruction &x = program.instructions[i];
    if (isSend(x.opcode))
      channels[{x.rank.value(), x.peer.value(), x.communicator.value()}].sends.push_back(i);
    else if (isReceive(x.opcode))
      channels[{x.peer.value(), x.rank.value(), x.communicator.value()}].receives.push_back(i);
  }
  for (const auto &[key, channel] : channels) {
    for (std::size_t n = 0; n < std::min(channel.sends.size(), channel.receives.size()); ++n) {
      messagePartner[channel.sends[n]] = channel.receives[n];
      messagePartner[channel.receives[n]] = channel.sends[n];
    }
    ChannelRules(program, options, channel, endings).apply();
  }
}

void Layout::matchCollectives() {
  // Per communicator, per rank: its collectives in issue order.
  std::vector<std::map<int, std::vector<int>>> issued(program.communicators.size());
  for (int i = 0; i < static_cast<int>(program.instructions.size()); ++i) {
    const Instruction &x = program.instructions[i];
    if (isCollective(x))
      issued[x.communicator.value()][x.rank.value()].push_back(i);
  }
  for (std::size_t c = 0; c < issued.size(); ++c) {
    std::vector<int> members;
    for (const RankId m : program.communicators[c].members)
      members.push_back(m.value());
    if (members.empty() && !issued[c].empty()) // every rank is a member
      for (int rank = 0; rank < program.rankCount(); ++rank)
        members.push_back(rank);
    std::size_t complete = issued[c].empty() ? 0 : program.instructions.size();
    for (const int m : members)
      complete = std::min(complete, issued[c][m].size());
    for (auto &[rank, list] : issued[c]) {
      // Nobody waits for a rank that is no member, and it finds nobody.
      const bool isMember = std::find(members.begin(), members.end(), rank) != members.end();
      for (std::size_t n = 0; n < list.size(); ++n)
        endings[list[n]] = isMember && n < complete
                               ? EndRule{Ending::operation, static_cast<int>(operations.size() + n)}
                               : EndRule{Ending::never, -1};
    }
    for (std::size_t n = 0; n < complete; ++n) {
      std::vector<int> &operation = operations.emplace_back();
      for (const int m : members)
        operation.push_back(issued[c][m][n]);
    }
  }
}

void Layout::connectAtomically() {
  std::vector<int> root(units.size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int u) {
    while (root[u] != u)
      u = root[u] = root[root[u]];
    return u;
  };
  for (std::size_t i = 0; i < messagePartner.size(); ++i)
    if (messagePartner[i] >= 0)
      root[find(unitOf[i])] = find(unitOf[messagePartner[i]]);
  std::vector<int> componentOfRoot(units.size(), -1);
  for (std::size_t u = 0; u < units.size(); ++u) {
    int &component = componentOfRoot[find(static_cast<int>(u))];
    if (component < 0) {
      component = static_cast<int>(components.size());
      components.emplace_back();
    }
    units[u].component = component;
    ++components[component].units;
  }
  for (std::size_t i = 0; i < messagePartner.size(); ++i) {
    if (!isPointToPoint(program.instructions[i].opcode))
      continue;
    // The transfer as a whole cannot start early, so no buffer helps a single message.
    endings[i] = {Ending::component, units[unitOf[i]].component};
    if (messagePartner[i] < 0)
      components[endings[i].of].broken = true;
  }
}

void Layout::findFirstUses() {
  firstHostStep.assign(program.ranks.size() + 1, 0);
  if (options.connect != model::Connect::firstUse)
    return;
  std::map<std::tuple<int, int, int>, int> firstUnitOf;               // communicator, own rank, peer
  std::vector<std::pair<int, std::tuple<int, int, int>>> connections; // unit and what it connects
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction &x = program.instructions[i];
    if (!isPointToPoint(x.opcode))
      continue;
    const std::tuple key{x.communicator.value(), x.rank.value(), x.peer.value()};
    if (firstUnitOf.try_emplace(key, unitOf[i]).second)
      connections.emplace_back(unitOf[i], key);
  }
  for (const auto &[unit, key] : connections) {
    if (units[unit].hostStep >= 0)
      continue;
    units[unit].hostStep = static_cast<int>(hostSteps.size());
    hostSteps.emplace_back().unit = unit;
    ++firstHostStep[units[unit].rank + 1];
  }
  std::partial_sum(firstHostStep.begin(), firstHostStep.end(), firstHostStep.begin());
  for (const auto &[unit, key] : connections) {
    HostStep &step = hostSteps[units[unit].hostStep];
    const auto &[communicator, rank, peer] = key;
    const auto partner = firstUnitOf.find({communicator, peer, rank});
    if (partner == firstUnitOf.end())
      step.broken = true;
    else
      step.partners.push_back(units[partner->second].hostStep);
  }
}

} // namespace plumbline::oracle
