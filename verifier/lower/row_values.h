// Which values one rank has, in which slots, and which of them each action reads and writes.
#pragma once

#include "verifier/ir/builder.h"
#include "verifier/ir/schedule.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <optional>
#include <tuple>

namespace plumbline::lower {

// One rank's row. Every value that the row writes has a slot of its own.
class RowValues {
public:
  // Gives a slot to each value that `row` writes, in order of first write, and adds the pools for them to the rank that
  // the builder opened last. Linear.
  RowValues(const Schedule &schedule, const std::vector<Action> &row, ProgramBuilder &builder);

  struct Touched {
    llvm::SmallVector<SlotAccess, 4> accesses;
    // Instructions of another lane that made what is read, and stand earlier.
    llvm::SmallVector<InstructionId, 2> waits;
  };
  // What an action touches; call for each action of the row in order, followed by issued().
  Touched touch(const Action &action) const;
  // Says which instruction the action became.
  void issued(const Action &action, InstructionId id);

private:
  struct Kept {
    std::int32_t slot = 0;
    InstructionId writer; // last one so far
  };
  using Key = std::tuple<int, std::int32_t, std::int32_t>; // kind, stage, microbatch

  static bool waitsFor(const Action &action, const Value &value);
  static Key keyOf(const Value &value) {
    return {static_cast<int>(value.kind), value.stage.value(), value.microbatch.value()};
  }
  [[nodiscard]] bool isFirst(StageId stage) const { return stage.value() % schedule_.stagesPerReplica == 0; }
  [[nodiscard]] bool isLast(StageId stage) const {
    return stage.value() % schedule_.stagesPerReplica == schedule_.stagesPerReplica - 1;
  }
  // The forward pass leaves its activations for the backward pass, and no recompute makes them anew.
  [[nodiscard]] bool keepsActivations(const Action &action) const;
  [[nodiscard]] llvm::SmallVector<Value, 2> written(const Action &action) const;
  [[nodiscard]] llvm::SmallVector<Value, 4> read(const Action &action) const;
  // The first of the two that the rank has at any time.
  [[nodiscard]] std::optional<Value> either(const Value &first, const Value &second) const;
  [[nodiscard]] std::optional<Value> inputOf(const Action &action) const;
  [[nodiscard]] std::optional<Value> outputGradientOf(const Action &action) const;
  [[nodiscard]] SlotAccess access(AccessMode mode, const Value &value, const Kept &kept) const;

  const Schedule &schedule_;
  std::array<PoolId, valueKindCount> pools_;
  llvm::DenseMap<Key, Kept> kept_;
  llvm::DenseSet<std::pair<std::int32_t, std::int32_t>> recomputed_; // stage and microbatch
};

} // namespace plumbline::lower
