#include "verifier/lower/lower.h"

#include "verifier/ir/builder.h"
#include "verifier/lower/deepspeed_buffers.h"
#include "verifier/lower/insert_communication.h"
#include "verifier/lower/row_values.h"

#include "llvm/ADT/STLExtras.h"

namespace plumbline::lower {
namespace {

class Lowering {
public:
  Lowering(const Schedule &schedule, const Placement &placement) : schedule_(schedule), placement_(placement) {}

  Result<Program> run() {
    describe();
    for (const std::vector<Action> &row : schedule_.ranks)
      if (std::optional<Diagnostic> wrong = lowerRow(row))
        return *std::move(wrong);
    return std::move(builder_).take();
  }

private:
  void describe() {
    Program &program = builder_.program();
    program.name = schedule_.name;
    program.mode = schedule_.mode;
    program.execution = schedule_.execution;
    program.waitsForGroups = schedule_.waitsForGroups;
    program.microbatches = schedule_.microbatches;
    program.files = schedule_.files;
    builder_.setStages(schedule_.stagesPerReplica, schedule_.replicas);
    for (const auto &[stage, rank] : llvm::enumerate(placement_))
      program.stages[stage].rank = rank;
    builder_.addCommunicator({"pipeline", {}, -1});
  }

  std::optional<Diagnostic> lowerRow(const std::vector<Action> &row) {
    builder_.beginRank();
    RowValues values(schedule_, row, builder_);
    GroupId oldGroup, newGroup;
    for (const Action &action : row) {
      if (action.group != oldGroup)
        newGroup = action.group.valid() ? builder_.newGroup() : GroupId();
      oldGroup = action.group;

      Instruction instruction;
      instruction.opcode = action.opcode;
      instruction.stage = action.stage;
      instruction.microbatch = action.microbatch;
      instruction.group = newGroup;
      instruction.location = action.location;
      if (isPointToPoint(action.opcode)) {
        if (std::optional<Diagnostic> wrong = findPeer(action, instruction.peer))
          return wrong;
        instruction.communicator = CommunicatorId(0);
      }
      const RowValues::Touched touched = values.touch(action);
      values.issued(action, builder_.append(instruction, touched.accesses, touched.waits));
    }
    return std::nullopt;
  }

  std::optional<Diagnostic> findPeer(const Action &action, RankId &peer) const {
    peer = action.peer;
    if (peer.valid())
      return std::nullopt;
    const bool next = facesNextStage(action.opcode);
    const std::int32_t position = action.stage.value() % schedule_.stagesPerReplica;
    const std::string alone = isSend(action.opcode) ? "nothing can receive this: " : "nothing can send this: ";
    if (next ? position == schedule_.stagesPerReplica - 1 : position == 0)
      return fault(action, alone + "stage " + std::to_string(action.stage.value()) + " is the " +
                               (next ? "last" : "first") + " of the pipeline");
    const std::int32_t neighbour = action.stage.value() + (next ? 1 : -1);
    peer = placement_[static_cast<std::size_t>(neighbour)];
    if (!peer.valid())
      return fault(action, alone + "no rank works on stage " + std::to_string(neighbour));
    return std::nullopt;
  }

  [[nodiscard]] Diagnostic fault(const Action &action, std::string message) const {
    const SourceLocation &where = action.location;
    const bool known = where.valid() && static_cast<std::size_t>(where.file.value()) < schedule_.files.size();
    return {known ? schedule_.files[static_cast<std::size_t>(where.file.value())] : schedule_.name, where.line,
            where.column, std::move(message)};
  }

  const Schedule &schedule_;
  const Placement &placement_;
  ProgramBuilder builder_;
};

} // namespace

Result<Program> lowerSchedule(const Schedule &schedule, const std::optional<Placement> &placement) {
  if (placement)
    if (std::optional<Diagnostic> wrong = checkPlacement(schedule, *placement))
      return *std::move(wrong);
  if (!schedule.buffers.empty())
    return lowerNamedBuffers(schedule);
  const Placement places = placement ? *placement : placementOf(schedule);
  if (schedule.hasCommunication)
    return Lowering(schedule, places).run();
  return Lowering(insertCommunication(schedule, places), places).run();
}

} // namespace plumbline::lower
