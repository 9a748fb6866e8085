#include "verifier/lower/insert_communication.h"

#include "verifier/lower/parameter_turns.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

#include <functional>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

namespace plumbline::lower {
namespace {

// What one cell makes and another needs: the activation that stage `stage` takes, or the gradient of its output.
struct Need {
  bool gradient = false;
  StageId stage;
  MicrobatchId microbatch;
};
using Key = std::pair<std::int32_t, std::int32_t>; // stage and direction, microbatch

Key keyOf(const Need &need) { return {2 * need.stage.value() + (need.gradient ? 1 : 0), need.microbatch.value()}; }

using RankHeap = std::priority_queue<std::int32_t, std::vector<std::int32_t>, std::greater<>>;

class Inserter {
public:
  Inserter(const Schedule &from, llvm::ArrayRef<RankId> placement)
      : from_(from), placement_(placement), next_(from.ranks.size()), queued_(from.ranks.size()) {
    to_ = from;
    to_.hasCommunication = true;
    for (std::vector<Action> &row : to_.ranks) {
      turns_.push_back(parameterTurns(row, from.microbatches));
      row.clear();
    }
  }

  Schedule run() {
    findMakersAndUsers();
    for (std::int32_t rank = 0; rank < rankCount(); ++rank)
      queueIfReady(rank, following_);
    for (;;) {
      while (!current_.empty() || !following_.empty())
        round();
      if (!helpLowestWaiting())
        return std::move(to_);
    }
  }

private:
  [[nodiscard]] std::int32_t rankCount() const { return static_cast<std::int32_t>(from_.ranks.size()); }
  const std::vector<Action> &row(std::int32_t rank) const { return from_.ranks[static_cast<std::size_t>(rank)]; }
  std::size_t &nextOf(std::int32_t rank) { return next_[static_cast<std::size_t>(rank)]; }

  // Turns that the rank still spends on other cells before its next one.
  std::uint32_t &turnsOf(std::int32_t rank) { return turns_[static_cast<std::size_t>(rank)][nextOf(rank)]; }

  [[nodiscard]] bool isFirst(StageId stage) const { return stage.value() % from_.stagesPerReplica == 0; }
  [[nodiscard]] bool isLast(StageId stage) const {
    return stage.value() % from_.stagesPerReplica == from_.stagesPerReplica - 1;
  }
  [[nodiscard]] RankId rankOf(StageId stage) const { return placement_[static_cast<std::size_t>(stage.value())]; }

  // What the action takes from another cell.
  [[nodiscard]] std::optional<Need> needOf(const Action &a) const {
    if (a.opcode == Opcode::forward && !isFirst(a.stage))
      return Need{false, a.stage, a.microbatch};
    if ((a.opcode == Opcode::backward || a.opcode == Opcode::backward_input) && !isLast(a.stage))
      return Need{true, a.stage, a.microbatch};
    return std::nullopt;
  }

  // What the action makes for another cell.
  [[nodiscard]] std::optional<Need> makes(const Action &a) const {
    if (a.opcode == Opcode::forward && !isLast(a.stage))
      return Need{false, StageId(a.stage.value() + 1), a.microbatch};
    if ((a.opcode == Opcode::backward || a.opcode == Opcode::backward_input) && !isFirst(a.stage))
      return Need{true, StageId(a.stage.value() - 1), a.microbatch};
    return std::nullopt;
  }

  void findMakersAndUsers() {
    for (std::int32_t rank = 0; rank < rankCount(); ++rank)
      for (const Action &action : row(rank)) {
        if (const std::optional<Need> made = makes(action))
          makers_.try_emplace(keyOf(*made), rank);
        if (const std::optional<Need> need = needOf(action))
          users_.try_emplace(keyOf(*need), action.location);
      }
  }

  bool isReady(std::int32_t rank) {
    const std::size_t begin = nextOf(rank);
    if (turnsOf(rank) > 0)
      return true;
    for (std::size_t k = begin; k < cellEnd(row(rank), begin); ++k) {
      const std::optional<Need> need = needOf(row(rank)[k]);
      if (need && !available_.contains(keyOf(*need)))
        return false;
    }
    return true;
  }

  void queueIfReady(std::int32_t rank, RankHeap &queue) {
    if (queued_[static_cast<std::size_t>(rank)] || nextOf(rank) == row(rank).size() || !isReady(rank))
      return;
    queued_[static_cast<std::size_t>(rank)] = true;
    queue.push(rank);
  }

  // One way round the ranks. A rank gets its input in time for this round only from a lower one.
  void round() {
    std::swap(current_, following_);
    while (!current_.empty()) {
      const std::int32_t rank = current_.top();
      current_.pop();
      queued_[static_cast<std::size_t>(rank)] = false;
      if (turnsOf(rank) > 0)
        --turnsOf(rank);
      else
        placeCell(rank);
      queueIfReady(rank, following_);
    }
  }

  void placeCell(std::int32_t rank) {
    const std::size_t begin = nextOf(rank);
    const std::size_t end = cellEnd(row(rank), begin);
    nextOf(rank) = end;
    for (std::size_t k = begin; k < end; ++k)
      to_.ranks[static_cast<std::size_t>(rank)].push_back(row(rank)[k]);
    for (std::size_t k = begin; k < end; ++k)
      if (const std::optional<Need> made = makes(row(rank)[k]))
        deliver(rank, row(rank)[k], *made);
  }

  void deliver(std::int32_t rank, const Action &maker, const Need &made) {
    const RankId receiver = rankOf(made.stage);
    if (!receiver.valid())
      return;
    if (receiver.value() == rank) {
      available_.insert(keyOf(made));
      return;
    }
    Action send = maker;
    send.opcode = made.gradient ? Opcode::send_gradient : Opcode::send_activation;
    send.group = GroupId();
    to_.ranks[static_cast<std::size_t>(rank)].push_back(send);
    if (available_.insert(keyOf(made)).second) {
      receive(receiver.value(), made, maker.location);
      queueIfReady(receiver.value(), receiver.value() > rank ? current_ : following_);
    }
  }

  void receive(std::int32_t rank, const Need &need, const SourceLocation &otherwise) {
    Action action;
    action.opcode = need.gradient ? Opcode::receive_gradient : Opcode::receive_activation;
    action.stage = need.stage;
    action.microbatch = need.microbatch;
    const auto user = users_.find(keyOf(need));
    action.location = user == users_.end() ? otherwise : user->second;
    to_.ranks[static_cast<std::size_t>(rank)].push_back(action);
  }

  // Places the next cell of the lowest rank that waits in vain. False: all cells are placed.
  bool helpLowestWaiting() {
    while (lowest_ < rankCount() && nextOf(lowest_) == row(lowest_).size())
      ++lowest_;
    if (lowest_ == rankCount())
      return false;
    const std::size_t begin = nextOf(lowest_);
    for (std::size_t k = begin; k < cellEnd(row(lowest_), begin); ++k) {
      const Action &action = row(lowest_)[k];
      const std::optional<Need> need = needOf(action);
      const auto maker = need ? makers_.find(keyOf(*need)) : makers_.end();
      if (maker != makers_.end() && maker->second != lowest_ && rankOf(need->stage).value() == lowest_ &&
          available_.insert(keyOf(*need)).second)
        receive(lowest_, *need, action.location);
    }
    placeCell(lowest_);
    queueIfReady(lowest_, following_);
    return true;
  }

  const Schedule &from_;
  llvm::ArrayRef<RankId> placement_;
  Schedule to_;
  std::vector<std::size_t> next_; // by rank: its first action that is not placed
  std::vector<std::vector<std::uint32_t>> turns_;
  std::vector<bool> queued_;      // by rank: it is in one of the queues
  RankHeap current_, following_;  // ranks that can place a cell in this round, and in the next
  std::int32_t lowest_ = 0;       // every rank below has placed all its cells
  llvm::DenseSet<Key> available_; // values received, or made on the rank that needs them
  llvm::DenseMap<Key, std::int32_t> makers_;
  llvm::DenseMap<Key, SourceLocation> users_;
};

} // namespace

Schedule insertCommunication(const Schedule &computeOnly, llvm::ArrayRef<RankId> placement) {
  return Inserter(computeOnly, placement).run();
}

} // namespace plumbline::lower
