// Where everything lies: every slot of a Program, and every tensor that an instruction takes or makes, as places in one
// block of memory a rank. Worked out before the first step; nothing is allocated after.
//
// A rank's block holds its slots, as many as the Program names and no more; then what one instruction needs while it
// runs, and nothing between two (scratch); and the batch: what the data source wrote for this step.
#pragma once

#include "runtime/memory/extents.h"
#include "verifier/ir/diagnostic.h"

#include <string>
#include <vector>

namespace plumbline::runtime {

// Bytes from the start of the rank's block.
struct Place {
  static constexpr std::uint64_t nowhere = UINT64_MAX;
  std::uint64_t offset = nowhere;
  [[nodiscard]] bool valid() const { return offset != nowhere; }
  bool operator==(const Place &) const = default;
};

// The operands of a forward or backward pass (or half of one), or of a recompute.
struct BoundPass {
  Place input, output, labels, stash, outputGradient, inputGradient;
  // The Program has no slot for what the forward pass keeps, so this pass makes it anew, in scratch, from its input.
  bool rebuilds = false;
  // Where the input's gradient goes once it is made: an instruction that works in place makes it in scratch first, so
  // that no stage sees two tensors in one place.
  Place moveInputGradientTo;
  // Where the loss goes besides; of the last stage's forward pass.
  Place loss, lossSlot;
};

// What a message carries: the slot that a send reads, or that a receive writes. Loads: what they write.
struct BoundMessage {
  Place place;
  std::uint64_t bytes = 0;
  Place labels; // of a load
};

struct PoolMemory {
  std::int32_t slots = 0;
  std::uint64_t bytes = 0;
};

struct RankMemory {
  std::uint64_t bytes = 0;     // of the whole block
  std::uint64_t slotBytes = 0; // slots are the first part of it
  std::uint64_t workspace = 0; // bytes of the stages' workspace, and where it begins
  Place workspacePlace;
  Place losses; // a float for each microbatch of each replica; where the rank has a last stage
};

// What the data source writes for one stage at the start of a step: for each microbatch, one behind the other.
struct BatchMemory {
  Place inputs, labels;                         // nowhere, unless the stage is first, or last
  std::uint64_t inputBytes = 0, labelBytes = 0; // from one microbatch to the next
};

struct Binding {
  std::vector<RankMemory> ranks;
  std::vector<BatchMemory> batches;     // by stage
  std::vector<PoolMemory> pools;        // by pool
  std::vector<Place> slots;             // by number (SlotNumbers): where each begins
  std::vector<std::uint64_t> slotBytes; // and its size
  std::vector<std::uint32_t> passOf;    // per instruction: index into passes; UINT32_MAX: none
  std::vector<BoundPass> passes;
  std::vector<std::uint32_t> messageOf; // per instruction: index into messages; UINT32_MAX: none
  std::vector<BoundMessage> messages;

  [[nodiscard]] const BoundPass *pass(std::uint32_t instruction) const {
    return passOf[instruction] == UINT32_MAX ? nullptr : &passes[passOf[instruction]];
  }
  [[nodiscard]] const BoundMessage *message(std::uint32_t instruction) const {
    return messageOf[instruction] == UINT32_MAX ? nullptr : &messages[messageOf[instruction]];
  }
};

// `sizes` by position in the pipeline. Errors, with the place of the instruction: what the Program does not say and
// cannot be run without (a pass whose input lies nowhere, a message without a slot, work without a meaning). Linear.
Result<Binding> bindProgram(const Program &program, StageSizes sizes);

} // namespace plumbline::runtime
