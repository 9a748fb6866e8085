#include "verifier/frontend/deepspeed.h"

#include "verifier/frontend/deepspeed_history.h"
#include "verifier/frontend/deepspeed_text.h"
#include "verifier/ir/builder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace plumbline::frontend {
namespace {

using deepspeed::BufferHistory;
using deepspeed::Kind;
using deepspeed::Lists;
using deepspeed::StageList;

Opcode opcodeOf(Kind kind) {
  switch (kind) {
  case Kind::loadMicroBatch:
    return Opcode::load_microbatch;
  case Kind::forwardPass:
    return Opcode::forward;
  case Kind::backwardPass:
    return Opcode::backward;
  case Kind::sendActivation:
    return Opcode::send_activation;
  case Kind::recvActivation:
    return Opcode::receive_activation;
  case Kind::sendGrad:
    return Opcode::send_gradient;
  case Kind::recvGrad:
    return Opcode::receive_gradient;
  case Kind::reduceTiedGrads:
    return Opcode::reduce_tied_gradients;
  case Kind::reduceGrads:
    return Opcode::reduce_gradients;
  case Kind::optimizerStep:
    return Opcode::optimizer_step;
  }
  return Opcode::compute;
}

bool contains(const StageList &stage, Kind kind) {
  return llvm::any_of(stage.instructions, [&](const deepspeed::Line &i) { return i.kind == kind; });
}

bool containsAnywhere(const Lists &lists, Kind kind) {
  return llvm::any_of(lists.stages, [&](const StageList &stage) { return contains(stage, kind); });
}

// DeepSpeed's DataParallelSchedule runs the whole model on every rank.
bool isDataParallel(const Lists &lists) {
  return lists.stages.size() > 1 && llvm::all_of(lists.stages, [](const StageList &stage) {
           return contains(stage, Kind::loadMicroBatch) &&
                  llvm::none_of(stage.instructions, [](const deepspeed::Line &i) { return isCommunication(i.kind); });
         });
}

// The instructions that later ones of the same rank wait on.
struct Latest {
  InstructionId compute;
  llvm::DenseMap<std::int32_t, InstructionId> input;    // by buffer: the receive or load that filled it last
  llvm::DenseMap<std::int32_t, InstructionId> gradient; // by buffer: its last RecvGrad
};

// Turns one stage's list into one rank of the Program.
class StageBuilder {
public:
  StageBuilder(ProgramBuilder &builder, const StageList &list, StageId stage, bool training)
      : builder_(builder), list_(list), stage_(stage), first_(builder.program().isFirstStage(stage)),
        last_(builder.program().isLastStage(stage)), training_(training), history_(first_) {}

  void build() {
    rank_ = builder_.beginRank();
    builder_.program().stages[static_cast<std::size_t>(stage_.value())].rank = rank_;
    addPools();
    for (const deepspeed::Line &line : list_.instructions)
      add(line);
  }

private:
  PoolId addPool(const char *name, std::int32_t declared, std::int32_t declaration) {
    return builder_.addPool({name, rank_, declared, declaration, {FileId(0), list_.line, 1}});
  }

  void addPools() {
    inputs_ = addPool("inputs", list_.buffers, 0);
    outputs_ = addPool("outputs", list_.buffers, 0);
    if (last_ && contains(list_, Kind::loadMicroBatch))
      labels_ = addPool("labels", list_.buffers, 0);
    if (contains(list_, Kind::recvGrad) || (!last_ && contains(list_, Kind::backwardPass)))
      gradLayer_ = addPool("grad_layer", 1, 1);
    if (last_ && training_)
      loss_ = addPool("loss", 1, 2);
  }

  void add(const deepspeed::Line &line) {
    Instruction instruction;
    instruction.opcode = opcodeOf(line.kind);
    instruction.stage = stage_;
    instruction.location = {FileId(0), line.line, line.column};
    instruction.microbatch = MicrobatchId(history_.microbatchOf(line));
    if (isCommunication(line.kind)) {
      const bool toNext = line.kind == Kind::sendActivation || line.kind == Kind::recvGrad;
      instruction.peer = RankId(rank_.value() + (toNext ? 1 : -1));
      instruction.communicator = CommunicatorId(0);
    }
    accesses_.clear();
    touch(line, instruction.microbatch);
    remember(line, builder_.append(instruction, accesses_, waitsOf(line)));
  }

  void touch(const deepspeed::Line &line, MicrobatchId microbatch) {
    const auto access = [&](AccessMode mode, PoolId pool, ValueKind kind) {
      const std::int32_t slot = pool == gradLayer_ || pool == loss_ ? 0 : line.buffer;
      accesses_.push_back({pool, slot, mode, {kind, stage_, microbatch}});
    };
    const auto read = [&](PoolId pool, ValueKind kind) { access(AccessMode::read, pool, kind); };
    const auto write = [&](PoolId pool, ValueKind kind) { access(AccessMode::write, pool, kind); };
    switch (line.kind) {
    case Kind::loadMicroBatch:
      if (first_)
        write(inputs_, ValueKind::input);
      if (last_)
        write(labels_, ValueKind::labels);
      break;
    case Kind::recvActivation:
      write(inputs_, ValueKind::input);
      break;
    case Kind::forwardPass:
      read(inputs_, ValueKind::input);
      if (labels_.valid())
        read(labels_, ValueKind::labels);
      if (training_ || !last_) // the engine hands the last stage's output to the caller
        write(outputs_, ValueKind::output);
      if (loss_.valid())
        write(loss_, ValueKind::loss);
      break;
    case Kind::backwardPass:
      read(inputs_, ValueKind::input);
      read(outputs_, ValueKind::output);
      if (last_)
        read(loss_, ValueKind::loss);
      else
        read(gradLayer_, ValueKind::output_gradient);
      if (!first_)
        write(inputs_, ValueKind::input_gradient);
      break;
    case Kind::sendActivation:
      read(outputs_, ValueKind::output);
      break;
    case Kind::recvGrad:
      write(gradLayer_, ValueKind::output_gradient);
      break;
    case Kind::sendGrad:
      read(inputs_, ValueKind::input_gradient);
      break;
    case Kind::reduceTiedGrads:
    case Kind::reduceGrads:
    case Kind::optimizerStep:
      break;
    }
  }

  // The engine blocks, so these matter only when the lists are judged as if it did not.
  llvm::SmallVector<InstructionId, 1> waitsOf(const deepspeed::Line &line) const {
    InstructionId wait;
    if (isCommunication(line.kind))
      wait = latest_.compute;
    else if (line.kind == Kind::forwardPass)
      wait = latest_.input.lookup(line.buffer);
    else if (line.kind == Kind::backwardPass)
      wait = latest_.gradient.lookup(line.buffer);
    return wait.valid() ? llvm::SmallVector<InstructionId, 1>{wait} : llvm::SmallVector<InstructionId, 1>{};
  }

  void remember(const deepspeed::Line &line, InstructionId id) {
    if (line.kind == Kind::recvActivation || (line.kind == Kind::loadMicroBatch && first_))
      latest_.input[line.buffer] = id;
    else if (line.kind == Kind::recvGrad)
      latest_.gradient[line.buffer] = id;
    else if (line.kind == Kind::forwardPass || line.kind == Kind::backwardPass)
      latest_.compute = id;
  }

  ProgramBuilder &builder_;
  const StageList &list_;
  StageId stage_;
  RankId rank_;
  bool first_, last_, training_;
  PoolId inputs_, outputs_, labels_, gradLayer_, loss_;
  BufferHistory history_;
  Latest latest_;
  llvm::SmallVector<SlotAccess, 4> accesses_;
};

// A message beyond either end of the pipeline has no rank to go to.
std::optional<Diagnostic> messageOverTheEdge(const Source &file, const Lists &lists) {
  for (const auto &[stage, list] : llvm::enumerate(lists.stages))
    for (const deepspeed::Line &line : list.instructions) {
      const bool toNext = line.kind == Kind::sendActivation || line.kind == Kind::recvGrad;
      const bool atEdge = toNext ? stage + 1 == lists.stages.size() : stage == 0;
      if (isCommunication(line.kind) && atEdge)
        return Diagnostic{file.name, line.line, line.column,
                          name(line.kind).str() + (toNext ? " on the last stage: there is no next stage"
                                                          : " on the first stage: there is no previous stage")};
    }
  return std::nullopt;
}

} // namespace

Result<Program> readDeepSpeed(const Source &file, std::vector<std::string> &notes) {
  const Result<Lists> lists = deepspeed::readLists(file);
  if (!lists)
    return lists.error();
  if (std::optional<Diagnostic> wrong = messageOverTheEdge(file, *lists))
    return *std::move(wrong);

  const std::int32_t stages = static_cast<std::int32_t>(lists->stages.size());
  const bool dataParallel = isDataParallel(*lists);
  if (dataParallel)
    notes.push_back("no stage sends or receives and each loads its own microbatches: read as " +
                    std::to_string(stages) + " data-parallel replicas of a one-stage pipeline");
  const bool training = containsAnywhere(*lists, Kind::backwardPass);

  ProgramBuilder builder;
  Program &program = builder.program();
  program.name = file.name;
  program.files = {file.name};
  program.mode = training ? Mode::training : Mode::inference;
  program.execution = Execution::blocking;
  program.waitsForGroups = true;
  program.microbatches = lists->microbatches;
  builder.setStages(dataParallel ? 1 : stages, dataParallel ? stages : 1);
  builder.addCommunicator({"pipeline", {}, -1});
  for (std::int32_t stage = 0; stage < stages; ++stage)
    StageBuilder(builder, lists->stages[static_cast<std::size_t>(stage)], StageId(stage), training).build();
  return std::move(builder).take();
}

} // namespace plumbline::frontend
