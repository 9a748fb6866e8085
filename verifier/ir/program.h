// The instruction IR: what every rank issues, in order, and which slots it touches (DESIGN section 3).
//
// A Program is plain data in flat arrays. Instructions of one rank stand together, in the order in which the rank
// issues them. The lane of an instruction follows from its communicator (see laneOf), so the same Program can be
// judged with one communicator, one per pair or one per directed edge by changing communicators only.
#pragma once

#include "verifier/ir/ids.h"
#include "verifier/ir/location.h"
#include "verifier/ir/opcode.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

// What a slot can hold: one of the four tensors of a (stage, microbatch), what the stage keeps of it, its labels, its
// loss, or something unnamed.
enum class ValueKind : std::uint8_t {
  input,  // activation that the stage takes
  output, // activation that the stage makes; on the last stage also its loss, where that has no slot of its own
  output_gradient, // gradient of the output, what the backward pass takes
  input_gradient,  // gradient of the input, what the backward pass makes
  stash, // activations inside the stage, kept from its forward pass or recompute until its backward pass used them
  labels,
  loss, // where the last stage's backward pass starts from
  other,
};
inline constexpr int valueKindCount = static_cast<int>(ValueKind::other) + 1;
llvm::StringRef name(ValueKind kind);

// Identity of a tensor: its kind and the stage and microbatch it belongs to.
struct Value {
  ValueKind kind = ValueKind::other;
  StageId stage;
  MicrobatchId microbatch;
  bool operator==(const Value &) const = default;
};

enum class AccessMode : std::uint8_t { read, write };

// One touch of one slot by one instruction. A read names the value it expects to find.
// An instruction that reads one value of a slot and writes another into the same slot works in place.
struct SlotAccess {
  PoolId pool;
  std::int32_t slot = 0; // index in the pool, from 0
  AccessMode mode = AccessMode::read;
  Value value;
  bool operator==(const SlotAccess &) const = default;
};

enum class ElementType : std::uint8_t { unknown, f64, f32, f16, bf16, f8, i64, i32, i16, i8, boolean };
inline constexpr int elementTypeCount = static_cast<int>(ElementType::boolean) + 1;
llvm::StringRef name(ElementType type);
int bytesOf(ElementType type); // size of one element; 0 for unknown

// A half-open range of indices into one of the Program's arrays.
struct IndexRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  bool operator==(const IndexRange &) const = default;
};

struct Instruction {
  Opcode opcode = Opcode::compute;
  ElementType elementType = ElementType::unknown; // of a message
  RankId rank;
  StageId stage;               // none for rank-wide instructions such as the optimizer step
  MicrobatchId microbatch;     // none where the instruction has none
  RankId peer;                 // partner of a point-to-point instruction, root of a broadcast
  CommunicatorId communicator; // of communication, else none
  GroupId group;               // members of one group stand together in issue order
  LabelId label;               // name of a message or of unnamed work
  std::uint64_t bytes = 0;     // size of a message; 0 = not known
  IndexRange accesses;         // into Program::accesses
  IndexRange waits;            // into Program::waits
  SourceLocation location;     // where this instruction stands in the file that was read
  SourceLocation origin;       // where it came from before that, for `.pir` made by lowering
};

struct RankProgram {
  IndexRange instructions; // into Program::instructions
};

struct Pool {
  std::string name; // "inputs", "outputs", ...
  RankId rank;
  std::int32_t declared = -1;    // number of slots the input declares; -1 = it declares none
  std::int32_t declaration = -1; // pools of a rank with the same number >= 0 are sized by one declaration
  SourceLocation location;
};

struct Communicator {
  std::string name;
  llvm::SmallVector<RankId, 2> members; // empty: every rank
  std::int32_t room = -1;               // messages a channel of it can hold; -1: as the model says
};

struct Stage {
  RankId rank; // placement; none while no instruction of the stage was seen
};

// What the schedule is for; decides what "complete" means.
enum class Mode : std::uint8_t {
  training,  // every forward has its backward
  inference, // forward only
  fragment,  // a part of a program; completeness is not asked
};
llvm::StringRef name(Mode mode);

// How the framework behind the input executes it; the default model of verification.
enum class Execution : std::uint8_t { blocking, streams };
llvm::StringRef name(Execution execution);

struct Program {
  std::string name;
  Mode mode = Mode::training;
  Execution execution = Execution::streams;
  bool waitsForGroups = false; // the framework's host waits for each launch before it goes on
  std::int32_t stagesPerReplica = 0;
  std::int32_t replicas = 1;     // pipelines that share the ranks (DualPipe, Chimera), or data-parallel copies
  std::int32_t microbatches = 0; // per replica
  std::int32_t groupCount = 0;
  std::vector<std::string> files;
  std::vector<std::string> labels;
  std::vector<Stage> stages; // replicas * stagesPerReplica
  std::vector<Pool> pools;
  std::vector<Communicator> communicators;
  std::vector<RankProgram> ranks;
  std::vector<Instruction> instructions;
  std::vector<SlotAccess> accesses;
  std::vector<InstructionId> waits;

  [[nodiscard]] std::int32_t stageCount() const { return static_cast<std::int32_t>(stages.size()); }
  [[nodiscard]] std::int32_t rankCount() const { return static_cast<std::int32_t>(ranks.size()); }
  [[nodiscard]] const Instruction &at(InstructionId id) const {
    return instructions[static_cast<std::size_t>(id.value())];
  }
  [[nodiscard]] llvm::ArrayRef<Instruction> instructionsOf(RankId rank) const;
  [[nodiscard]] llvm::ArrayRef<SlotAccess> accessesOf(const Instruction &i) const;
  [[nodiscard]] llvm::ArrayRef<InstructionId> waitsOf(const Instruction &i) const;
  // First or last stage of its replica. Stage must be valid.
  [[nodiscard]] bool isFirstStage(StageId stage) const { return stage.value() % stagesPerReplica == 0; }
  [[nodiscard]] bool isLastStage(StageId stage) const {
    return stage.value() % stagesPerReplica == stagesPerReplica - 1;
  }
};

// Equality of meaning: everything but `location`; where an instruction came from is its origin, or else its location,
// compared by file name, line and column where both Programs know it. Linear.
bool identical(const Program &a, const Program &b);

// Checks that every index in the Program is in range, ranks and groups are contiguous and waits point backwards in
// issue order of the same rank. Returns an empty string, or what is wrong. Linear. For assertions and for readers.
std::string validate(const Program &program);

} // namespace plumbline
