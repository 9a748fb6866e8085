#include "verifier/lower/deepspeed_buffers.h"

#include "verifier/ir/builder.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace plumbline::lower {
namespace {

bool contains(const std::vector<Action> &row, Opcode opcode) {
  return llvm::any_of(row, [&](const Action &action) { return action.opcode == opcode; });
}

// The instructions that later ones of the same rank wait on.
struct Latest {
  InstructionId compute;
  llvm::DenseMap<std::int32_t, InstructionId> input;    // by buffer: the receive or load that filled it last
  llvm::DenseMap<std::int32_t, InstructionId> gradient; // by buffer: its last RecvGrad
};

// Turns one rank's row, which works on one stage, into one rank of the Program.
class RankBuilder {
public:
  RankBuilder(ProgramBuilder &builder, const std::vector<Action> &row, const RankBuffers &buffers, StageId stage)
      : builder_(builder), row_(row), buffers_(buffers), stage_(stage), first_(builder.program().isFirstStage(stage)),
        last_(builder.program().isLastStage(stage)), training_(builder.program().mode == Mode::training) {}

  void build() {
    rank_ = builder_.beginRank();
    builder_.program().stages[static_cast<std::size_t>(stage_.value())].rank = rank_;
    addPools();
    for (const Action &action : row_)
      add(action);
  }

private:
  PoolId addPool(const char *name, std::int32_t declared, std::int32_t declaration) {
    return builder_.addPool({name, rank_, declared, declaration, buffers_.location});
  }

  void addPools() {
    inputs_ = addPool("inputs", buffers_.declared, 0);
    outputs_ = addPool("outputs", buffers_.declared, 0);
    if (last_ && contains(row_, Opcode::load_microbatch))
      labels_ = addPool("labels", buffers_.declared, 0);
    if (contains(row_, Opcode::receive_gradient) || (!last_ && contains(row_, Opcode::backward)))
      gradLayer_ = addPool("grad_layer", 1, 1);
    if (last_ && training_)
      loss_ = addPool("loss", 1, 2);
  }

  void add(const Action &action) {
    Instruction instruction;
    instruction.opcode = action.opcode;
    instruction.stage = stage_;
    instruction.location = action.location;
    instruction.microbatch = action.microbatch;
    if (isPointToPoint(action.opcode)) {
      instruction.peer = action.peer;
      instruction.communicator = CommunicatorId(0);
    }
    accesses_.clear();
    touch(action);
    remember(action, builder_.append(instruction, accesses_, waitsOf(action)));
  }

  void touch(const Action &action) {
    const auto access = [&](AccessMode mode, PoolId pool, ValueKind kind) {
      const std::int32_t slot = pool == gradLayer_ || pool == loss_ ? 0 : action.buffer;
      accesses_.push_back({pool, slot, mode, {kind, stage_, action.microbatch}});
    };
    const auto read = [&](PoolId pool, ValueKind kind) { access(AccessMode::read, pool, kind); };
    const auto write = [&](PoolId pool, ValueKind kind) { access(AccessMode::write, pool, kind); };
    switch (action.opcode) {
    case Opcode::load_microbatch:
      if (first_)
        write(inputs_, ValueKind::input);
      if (last_)
        write(labels_, ValueKind::labels);
      break;
    case Opcode::receive_activation:
      write(inputs_, ValueKind::input);
      break;
    case Opcode::forward:
      read(inputs_, ValueKind::input);
      if (labels_.valid())
        read(labels_, ValueKind::labels);
      if (training_ || !last_) // the engine hands the last stage's output to the caller
        write(outputs_, ValueKind::output);
      if (loss_.valid())
        write(loss_, ValueKind::loss);
      break;
    case Opcode::recompute: // the engine's outputs stay; what is rebuilt lies inside the stage
      read(inputs_, ValueKind::input);
      break;
    case Opcode::backward:
      read(inputs_, ValueKind::input);
      read(outputs_, ValueKind::output);
      if (last_)
        read(loss_, ValueKind::loss);
      else
        read(gradLayer_, ValueKind::output_gradient);
      if (!first_)
        write(inputs_, ValueKind::input_gradient);
      break;
    case Opcode::send_activation:
      read(outputs_, ValueKind::output);
      break;
    case Opcode::receive_gradient: // the engine looks at the output for the shape of its gradient
      read(outputs_, ValueKind::output);
      write(gradLayer_, ValueKind::output_gradient);
      break;
    case Opcode::send_gradient:
      read(inputs_, ValueKind::input_gradient);
      break;
    default:
      break;
    }
  }

  // The engine blocks, so these matter only when the lists are judged as if it did not.
  [[nodiscard]] llvm::SmallVector<InstructionId, 1> waitsOf(const Action &action) const {
    InstructionId wait;
    if (isPointToPoint(action.opcode))
      wait = latest_.compute;
    else if (action.opcode == Opcode::forward)
      wait = latest_.input.lookup(action.buffer);
    else if (action.opcode == Opcode::backward)
      wait = latest_.gradient.lookup(action.buffer);
    return wait.valid() ? llvm::SmallVector<InstructionId, 1>{wait} : llvm::SmallVector<InstructionId, 1>{};
  }

  void remember(const Action &action, InstructionId id) {
    if (action.opcode == Opcode::receive_activation || (action.opcode == Opcode::load_microbatch && first_))
      latest_.input[action.buffer] = id;
    else if (action.opcode == Opcode::receive_gradient)
      latest_.gradient[action.buffer] = id;
    else if (action.opcode == Opcode::forward || action.opcode == Opcode::backward)
      latest_.compute = id;
  }

  ProgramBuilder &builder_;
  const std::vector<Action> &row_;
  const RankBuffers &buffers_;
  StageId stage_;
  RankId rank_;
  bool first_, last_, training_;
  PoolId inputs_, outputs_, labels_, gradLayer_, loss_;
  Latest latest_;
  llvm::SmallVector<SlotAccess, 4> accesses_;
};

} // namespace

Program lowerNamedBuffers(const Schedule &schedule) {
  ProgramBuilder builder;
  Program &program = builder.program();
  program.name = schedule.name;
  program.files = schedule.files;
  program.mode = schedule.mode;
  program.execution = schedule.execution;
  program.waitsForGroups = schedule.waitsForGroups;
  program.microbatches = schedule.microbatches;
  builder.setStages(schedule.stagesPerReplica, schedule.replicas);
  builder.addCommunicator({"pipeline", {}, -1});
  for (const auto &[rank, row] : llvm::enumerate(schedule.ranks))
    RankBuilder(builder, row, schedule.buffers[rank], StageId(static_cast<std::int32_t>(rank))).build();
  return std::move(builder).take();
}

} // namespace plumbline::lower
