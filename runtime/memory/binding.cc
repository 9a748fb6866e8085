#include "runtime/memory/binding.h"

#include "runtime/ledger/slot_numbers.h"
#include "runtime/memory/stash_homes.h"
#include "verifier/ir/words.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <optional>

namespace plumbline::runtime {
namespace {

constexpr std::uint64_t mostBytes = std::uint64_t(1) << 50U;

bool isPass(Opcode opcode) { return opcode == Opcode::forward || opcode == Opcode::recompute || isBackward(opcode); }

// What one instruction needs while it runs; each rank reserves the most that any of its instructions needs.
struct Scratch {
  std::uint64_t output = 0, stash = 0, gradient = 0;
};

class Binder {
public:
  Binder(const Program &program, StageSizes sizes)
      : program_(program), sizes_(sizes), homes_(program), numbers_(program), scratch_(program.ranks.size()) {}

  Result<Binding> run() {
    sizeSlots();
    layOut();
    if (std::optional<Diagnostic> wrong = tooLarge())
      return *std::move(wrong);
    binding_.passOf.assign(program_.instructions.size(), UINT32_MAX);
    binding_.messageOf.assign(program_.instructions.size(), UINT32_MAX);
    for (std::uint32_t i = 0; i < program_.instructions.size(); ++i)
      if (std::string wrong = bindInstruction(i); !wrong.empty())
        return fault(i, wrong);
    return std::move(binding_);
  }

private:
  [[nodiscard]] std::int32_t positionOf(StageId stage) const { return stage.value() % program_.stagesPerReplica; }
  [[nodiscard]] const plumbline_stage_sizes &sizesOf(StageId stage) const {
    return sizes_[static_cast<std::size_t>(positionOf(stage))];
  }
  [[nodiscard]] std::uint64_t bytesOfValue(const Value &value) const {
    return bytesOf(extentOf(sizes_, program_.stagesPerReplica, value));
  }

  [[nodiscard]] Diagnostic fault(std::uint32_t index, const std::string &message) const {
    const Instruction &i = program_.instructions[index];
    const std::string text = fullNameOf(program_, InstructionId(static_cast<std::int32_t>(index))) + " " + message;
    if (!i.location.valid())
      return {program_.name, 0, 0, text};
    return {program_.files[static_cast<std::size_t>(i.location.file.value())], i.location.line, i.location.column,
            text};
  }

  void sizeSlots() {
    binding_.slotBytes.assign(numbers_.count(), 0);
    for (const Instruction &i : program_.instructions)
      for (const SlotAccess &access : program_.accessesOf(i)) {
        std::uint64_t bytes = access.value.kind == ValueKind::other ? i.bytes : bytesOfValue(access.value);
        if (access.value.kind != ValueKind::stash && homes_.liesWith(access.value))
          bytes = aligned(bytes) + bytesOfValue({ValueKind::stash, access.value.stage, access.value.microbatch});
        std::uint64_t &slot = binding_.slotBytes[numbers_.of(access)];
        slot = std::max(slot, aligned(bytes));
      }
    for (const Instruction &i : program_.instructions)
      if (isPass(i.opcode) && i.stage.valid()) {
        Scratch &scratch = scratch_[static_cast<std::size_t>(i.rank.value())];
        scratch.output = std::max(scratch.output, aligned(bytesOf(sizesOf(i.stage).output)));
        scratch.gradient = std::max(scratch.gradient, aligned(bytesOf(sizesOf(i.stage).input)));
        if (!homes_.find(i.stage, i.microbatch))
          scratch.stash = std::max(scratch.stash, aligned(bytesOf(sizesOf(i.stage).stash)));
      }
  }

  void layOut() {
    binding_.ranks.resize(program_.ranks.size());
    binding_.pools.resize(program_.pools.size());
    binding_.slots.resize(numbers_.count());
    for (std::size_t p = 0; p < program_.pools.size(); ++p) {
      const PoolId pool(static_cast<std::int32_t>(p));
      RankMemory &memory = binding_.ranks[static_cast<std::size_t>(program_.pools[p].rank.value())];
      binding_.pools[p].slots = numbers_.inPool(pool);
      for (std::int32_t slot = 0; slot < binding_.pools[p].slots; ++slot) {
        const std::uint32_t number = numbers_.of({pool, slot, AccessMode::read, {}});
        binding_.slots[number] = reserve(memory, binding_.slotBytes[number]);
        binding_.pools[p].bytes += binding_.slotBytes[number];
      }
    }
    places_.resize(program_.ranks.size());
    for (std::size_t r = 0; r < program_.ranks.size(); ++r) {
      RankMemory &memory = binding_.ranks[r];
      memory.slotBytes = memory.bytes;
      places_[r] = {reserve(memory, scratch_[r].output), reserve(memory, scratch_[r].stash),
                    reserve(memory, scratch_[r].gradient)};
    }
    layOutStages();
  }

  void layOutStages() {
    binding_.batches.resize(program_.stages.size());
    const auto microbatches = static_cast<std::uint64_t>(program_.microbatches);
    for (std::size_t s = 0; s < program_.stages.size(); ++s) {
      const StageId stage(static_cast<std::int32_t>(s));
      if (!program_.stages[s].rank.valid())
        continue;
      RankMemory &memory = binding_.ranks[static_cast<std::size_t>(program_.stages[s].rank.value())];
      BatchMemory &batch = binding_.batches[s];
      memory.workspace = std::max(memory.workspace, aligned(sizesOf(stage).workspace));
      if (program_.isFirstStage(stage)) {
        batch.inputBytes = aligned(bytesOf(sizesOf(stage).input));
        batch.inputs = reserve(memory, batch.inputBytes, microbatches);
      }
      if (!program_.isLastStage(stage))
        continue;
      batch.labelBytes = aligned(bytesOf(sizesOf(stage).labels));
      batch.labels = reserve(memory, batch.labelBytes, microbatches);
      if (!memory.losses.valid())
        memory.losses = reserve(memory, microbatches * static_cast<std::uint64_t>(program_.replicas) * sizeof(float));
    }
    for (RankMemory &memory : binding_.ranks)
      memory.workspacePlace = reserve(memory, memory.workspace);
  }

  // `count` pieces of that size, one behind the other. Sums beyond what any memory has stay there, and are refused.
  static Place reserve(RankMemory &memory, std::uint64_t bytes, std::uint64_t count = 1) {
    const Place place{memory.bytes};
    std::uint64_t all = 0;
    if (__builtin_mul_overflow(aligned(bytes), count, &all) || __builtin_add_overflow(memory.bytes, all, &all) ||
        all > mostBytes)
      all = mostBytes + 1;
    memory.bytes = all;
    return place;
  }

  [[nodiscard]] std::optional<Diagnostic> tooLarge() const {
    for (const auto &[rank, memory] : llvm::enumerate(binding_.ranks))
      if (memory.bytes > mostBytes)
        return Diagnostic{program_.name, 0, 0, "rank " + std::to_string(rank) + " needs more memory than there can be"};
    return std::nullopt;
  }

  std::string bindInstruction(std::uint32_t index) {
    const Instruction &i = program_.instructions[index];
    if (i.microbatch.valid() && i.microbatch.value() >= program_.microbatches)
      return "is of a microbatch that the program does not have: it has " + std::to_string(program_.microbatches);
    if (std::string wrong = checkStage(i); !wrong.empty())
      return wrong;
    if (isPass(i.opcode)) {
      binding_.passOf[index] = static_cast<std::uint32_t>(binding_.passes.size());
      binding_.passes.emplace_back();
      return bindPass(i, binding_.passes.back());
    }
    if (isPointToPoint(i.opcode) || i.opcode == Opcode::load_microbatch || i.opcode == Opcode::broadcast) {
      binding_.messageOf[index] = static_cast<std::uint32_t>(binding_.messages.size());
      binding_.messages.emplace_back();
      return i.opcode == Opcode::load_microbatch ? bindLoad(i, binding_.messages.back())
                                                 : bindMessage(i, binding_.messages.back());
    }
    if (i.opcode == Opcode::compute)
      return "is work that the Program does not describe, so nothing can carry it out";
    return "";
  }

  // What works on a stage's memory is on its rank, and says which stage and microbatch it is for.
  [[nodiscard]] std::string checkStage(const Instruction &i) const {
    const bool version = i.opcode == Opcode::stash_weights || i.opcode == Opcode::pick_weights ||
                         (i.opcode == Opcode::optimizer_step && i.microbatch.valid());
    if (!isPass(i.opcode) && i.opcode != Opcode::load_microbatch && !version)
      return "";
    if (!i.stage.valid() || !i.microbatch.valid())
      return "names no stage or no microbatch";
    if (program_.stages[static_cast<std::size_t>(i.stage.value())].rank != i.rank)
      return "is not on the rank of its stage, where its memory is";
    return "";
  }

  [[nodiscard]] Place placeOf(const SlotAccess &access) const { return binding_.slots[numbers_.of(access)]; }

  [[nodiscard]] Place find(const Instruction &i, AccessMode mode, const Value &value) const {
    for (const SlotAccess &access : program_.accessesOf(i))
      if (access.mode == mode && access.value == value)
        return placeOf(access);
    return {};
  }

  std::string bindPass(const Instruction &i, BoundPass &pass) const {
    const RankMemory &memory = binding_.ranks[static_cast<std::size_t>(i.rank.value())];
    const Places &scratch = places_[static_cast<std::size_t>(i.rank.value())];
    pass.input = inputOf(i);
    if (!pass.input.valid())
      return "reads no input: no access names one";
    if (program_.isLastStage(i.stage))
      pass.labels = orBatch(find(i, AccessMode::read, {ValueKind::labels, i.stage, i.microbatch}), batchOf(i).labels,
                            batchOf(i).labelBytes, i.microbatch);
    const StashHome *home = homes_.find(i.stage, i.microbatch);
    // Nothing else protects a slot than the reads that the Program names.
    if (home && isBackward(i.opcode) && find(i, AccessMode::read, home->slot.value) != placeOf(home->slot))
      return "reads no stash: no access names the one that its forward pass leaves";
    if (home)
      pass.stash = {placeOf(home->slot).offset + (home->alone ? 0 : aligned(bytesOfValue(home->slot.value)))};
    else
      pass.stash = scratch.stash;
    pass.rebuilds = !home && isBackward(i.opcode);
    pass.output = scratch.output;
    if (i.opcode == Opcode::forward) {
      if (const Place output = find(i, AccessMode::write, {ValueKind::output, i.stage, i.microbatch}); output.valid())
        pass.output = output;
      if (program_.isLastStage(i.stage))
        bindLoss(i, memory, pass);
    }
    return isBackward(i.opcode) ? bindGradients(i, scratch, pass) : "";
  }

  void bindLoss(const Instruction &i, const RankMemory &memory, BoundPass &pass) const {
    pass.lossSlot = find(i, AccessMode::write, {ValueKind::loss, i.stage, i.microbatch});
    const auto replica = static_cast<std::uint64_t>(i.stage.value() / program_.stagesPerReplica);
    const auto number =
        replica * static_cast<std::uint64_t>(program_.microbatches) + static_cast<std::uint64_t>(i.microbatch.value());
    pass.loss = {memory.losses.offset + number * sizeof(float)};
  }

  std::string bindGradients(const Instruction &i, const auto &scratch, BoundPass &pass) const {
    if (!program_.isLastStage(i.stage)) {
      pass.outputGradient = find(i, AccessMode::read, {ValueKind::output_gradient, i.stage, i.microbatch});
      if (!pass.outputGradient.valid())
        pass.outputGradient =
            find(i, AccessMode::read, {ValueKind::input_gradient, StageId(i.stage.value() + 1), i.microbatch});
      if (!pass.outputGradient.valid())
        return "reads no gradient of its output: no access names one";
    }
    if (program_.isFirstStage(i.stage))
      return "";
    pass.inputGradient = scratch.gradient;
    const Place written = find(i, AccessMode::write, {ValueKind::input_gradient, i.stage, i.microbatch});
    const bool inPlace = written.valid() && llvm::any_of(program_.accessesOf(i), [&](const SlotAccess &access) {
                           return access.mode == AccessMode::read && placeOf(access) == written;
                         });
    if (inPlace)
      pass.moveInputGradientTo = written;
    else if (written.valid())
      pass.inputGradient = written;
    return "";
  }

  [[nodiscard]] const BatchMemory &batchOf(const Instruction &i) const {
    return binding_.batches[static_cast<std::size_t>(i.stage.value())];
  }

  static Place orBatch(Place slot, Place batch, std::uint64_t stride, MicrobatchId microbatch) {
    if (slot.valid() || !batch.valid())
      return slot;
    return {batch.offset + stride * static_cast<std::uint64_t>(microbatch.value())};
  }

  // Received or loaded, or what the stage before left on this rank; of the first stage without a load, the batch
  // itself.
  [[nodiscard]] Place inputOf(const Instruction &i) const {
    const Place own = find(i, AccessMode::read, {ValueKind::input, i.stage, i.microbatch});
    if (program_.isFirstStage(i.stage))
      return orBatch(own, batchOf(i).inputs, batchOf(i).inputBytes, i.microbatch);
    return own.valid() ? own
                       : find(i, AccessMode::read, {ValueKind::output, StageId(i.stage.value() - 1), i.microbatch});
  }

  std::string bindMessage(const Instruction &i, BoundMessage &message) const {
    const bool sends = isSend(i.opcode) || (i.opcode == Opcode::broadcast && i.peer == i.rank);
    const AccessMode mode = sends ? AccessMode::read : AccessMode::write;
    const SlotAccess *carried = nullptr;
    for (const SlotAccess &access : program_.accessesOf(i))
      if (access.mode == mode) {
        if (carried)
          return std::string(sends ? "reads" : "writes") + " several slots, and a message carries one";
        carried = &access;
      }
    if (!carried)
      return i.stage.valid() ? std::string("names no slot to ") + (sends ? "send from" : "receive into") : "";
    message.place = placeOf(*carried);
    message.bytes = carried->value.kind == ValueKind::other ? i.bytes : bytesOfValue(carried->value);
    return "";
  }

  std::string bindLoad(const Instruction &i, BoundMessage &load) const {
    load.place = find(i, AccessMode::write, {ValueKind::input, i.stage, i.microbatch});
    load.labels = find(i, AccessMode::write, {ValueKind::labels, i.stage, i.microbatch});
    return "";
  }

  struct Places {
    Place output, stash, gradient;
  };

  const Program &program_;
  StageSizes sizes_;
  StashHomes homes_;
  SlotNumbers numbers_;
  std::vector<Scratch> scratch_; // by rank
  std::vector<Places> places_;   // by rank
  Binding binding_;
};

} // namespace

Result<Binding> bindProgram(const Program &program, StageSizes sizes) { return Binder(program, sizes).run(); }

} // namespace plumbline::runtime
