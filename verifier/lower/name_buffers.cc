#include "verifier/lower/name_buffers.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <functional>
#include <optional>
#include <queue>

namespace plumbline::lower {
namespace {

std::string number(std::int32_t n) { return std::to_string(n); }

// Numbers of buffers, the lowest free one first.
class FreeBuffers {
public:
  std::int32_t take() {
    if (free_.empty())
      return count_++;
    const std::int32_t lowest = free_.top();
    free_.pop();
    return lowest;
  }
  void giveBack(std::int32_t buffer) { free_.push(buffer); }
  [[nodiscard]] std::int32_t count() const { return count_; }

private:
  std::int32_t count_ = 0;
  std::priority_queue<std::int32_t, std::vector<std::int32_t>, std::greater<>> free_;
};

bool isPass(Opcode opcode) { return opcode == Opcode::forward || opcode == Opcode::backward; }

// One stage's row.
class RowNamer {
public:
  RowNamer(const Schedule &schedule, std::int32_t rank)
      : row_(schedule.ranks[static_cast<std::size_t>(rank)]), rank_(rank), first_(rank == 0),
        last_(rank + 1 == schedule.stagesPerReplica), training_(schedule.mode == Mode::training) {}

  // What the engine cannot run, or nothing.
  std::string run() {
    for (std::size_t k = 0; k < row_.size(); ++k)
      lastUse_[row_[k].microbatch.value()] = k;
    for (std::size_t k = 0; k < row_.size(); ++k) {
      if (std::string wrong = refuse(row_[k]); !wrong.empty())
        return wrong;
      add(row_[k]);
      if (lastUse_[row_[k].microbatch.value()] == k)
        free_.giveBack(bufferOf_[row_[k].microbatch.value()]);
    }
    // The messages behind the last pass, and the end of training, have a step of their own.
    if (training_ && passInStep_)
      ++step_;
    if (training_)
      for (const Opcode opcode : {Opcode::reduce_tied_gradients, Opcode::reduce_gradients, Opcode::optimizer_step})
        append(opcode, MicrobatchId(), -1);
    return "";
  }

  std::vector<Action> take() { return std::move(named_); }
  [[nodiscard]] RankBuffers buffers() const { return {std::max(free_.count(), 1), step_ + 1, {}}; }

private:
  std::string refuse(const Action &action) {
    const std::string stage = "stage " + number(rank_), m = number(action.microbatch.value());
    if (action.group.valid())
      return "DeepSpeed's engine has no fused or overlapped instructions, as stage " + number(rank_) + " has here";
    if (action.stage.value() != rank_)
      return "DeepSpeed's engine has one stage on each rank; rank " + number(rank_) + " works on stage " +
             number(action.stage.value());
    if (!isPass(action.opcode) && !isPointToPoint(action.opcode))
      return "DeepSpeed's engine has no instruction for " + name(action.opcode).str();
    if (action.opcode == Opcode::receive_gradient && std::exchange(gradient_, action.microbatch).valid())
      return "DeepSpeed's engine keeps one received gradient, and " + stage +
             " of this order receives that of "
             "microbatch " +
             m + " before the backward pass that takes the one before";
    if (action.opcode == Opcode::forward && last_ && training_ && std::exchange(loss_, action.microbatch).valid())
      return "DeepSpeed's engine keeps one loss, and " + stage + " of this order forwards microbatch " + m +
             " before the backward pass of the one before";
    if (action.opcode == Opcode::backward)
      gradient_ = loss_ = MicrobatchId();
    const bool arrives = first_ ? action.opcode == Opcode::forward : action.opcode == Opcode::receive_activation;
    if (arrives && action.microbatch.value() != arrived_++)
      return "DeepSpeed's lists count microbatches as they arrive, and on " + stage + " microbatch " + m +
             " arrives out of order";
    return "";
  }

  void add(const Action &action) {
    const std::int32_t m = action.microbatch.value();
    const auto [entry, isNew] = bufferOf_.try_emplace(m, -1);
    if (isNew)
      entry->second = free_.take();
    if (passInStep_) {
      ++step_;
      passInStep_ = false;
    }
    if (action.opcode == Opcode::forward && (first_ || last_))
      append(Opcode::load_microbatch, action.microbatch, entry->second);
    append(action.opcode, action.microbatch, entry->second);
    passInStep_ = isPass(action.opcode);
  }

  void append(Opcode opcode, MicrobatchId microbatch, std::int32_t buffer) {
    Action action;
    action.opcode = opcode;
    action.stage = StageId(rank_);
    action.microbatch = microbatch;
    action.buffer = buffer;
    action.step = step_;
    if (isPointToPoint(opcode)) {
      const bool toNext = facesNextStage(opcode);
      action.peer = RankId(rank_ + (toNext ? 1 : -1));
    }
    named_.push_back(action);
  }

  const std::vector<Action> &row_;
  std::int32_t rank_;
  bool first_, last_, training_;
  bool passInStep_ = false; // the step is complete
  std::int32_t step_ = 0, arrived_ = 0;
  MicrobatchId gradient_, loss_;                        // kept and not used yet
  llvm::DenseMap<std::int32_t, std::size_t> lastUse_;   // by microbatch: index in the row
  llvm::DenseMap<std::int32_t, std::int32_t> bufferOf_; // by microbatch
  FreeBuffers free_;
  std::vector<Action> named_;
};

} // namespace

Result<Schedule> nameBuffers(const Schedule &schedule) {
  const auto refused = [&](std::string why) { return Diagnostic{schedule.name, 0, 0, std::move(why)}; };
  if (schedule.replicas != 1 || static_cast<std::size_t>(schedule.stagesPerReplica) != schedule.ranks.size())
    return refused("DeepSpeed's engine runs one pipeline with one stage on each rank");
  Schedule named = schedule;
  named.execution = Execution::blocking;
  named.waitsForGroups = true;
  for (std::int32_t rank = 0; rank < schedule.stagesPerReplica; ++rank) {
    RowNamer row(schedule, rank);
    if (std::string wrong = row.run(); !wrong.empty())
      return refused(wrong);
    named.buffers.push_back(row.buffers());
    named.ranks[static_cast<std::size_t>(rank)] = row.take();
  }
  return named;
}

} // namespace plumbline::lower
