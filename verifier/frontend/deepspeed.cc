#include "verifier/frontend/deepspeed.h"

#include "verifier/frontend/deepspeed_history.h"
#include "verifier/frontend/deepspeed_text.h"
#include "verifier/ir/framework_words.h"

#include "llvm/ADT/STLExtras.h"

#include <optional>

namespace plumbline::frontend {
namespace {

using deepspeed::BufferHistory;
using deepspeed::Lists;
using deepspeed::StageList;

bool contains(const StageList &stage, Opcode opcode) {
  return llvm::any_of(stage.instructions, [&](const deepspeed::Line &i) { return i.opcode == opcode; });
}

bool containsAnywhere(const Lists &lists, Opcode opcode) {
  return llvm::any_of(lists.stages, [&](const StageList &stage) { return contains(stage, opcode); });
}

// DeepSpeed's DataParallelSchedule runs the whole model on every rank.
bool isDataParallel(const Lists &lists) {
  return lists.stages.size() > 1 && llvm::all_of(lists.stages, [](const StageList &stage) {
           return contains(stage, Opcode::load_microbatch) &&
                  llvm::none_of(stage.instructions, [](const deepspeed::Line &i) { return isPointToPoint(i.opcode); });
         });
}

// One stage's list; the microbatches come from the history of its buffers.
std::vector<Action> rowOf(const StageList &list, std::int32_t rank, bool isFirstStage) {
  std::vector<Action> row;
  BufferHistory history(isFirstStage);
  for (const deepspeed::Line &line : list.instructions) {
    Action action;
    action.opcode = line.opcode;
    action.stage = StageId(rank);
    action.microbatch = MicrobatchId(history.microbatchOf(line));
    action.buffer = line.buffer;
    action.step = line.step;
    action.location = {FileId(0), line.line, line.column};
    if (isPointToPoint(line.opcode)) {
      const bool toNext = facesNextStage(line.opcode);
      action.peer = RankId(rank + (toNext ? 1 : -1));
    }
    row.push_back(action);
  }
  return row;
}

// A message beyond either end of the pipeline has no rank to go to.
std::optional<Diagnostic> messageOverTheEdge(const Source &file, const Lists &lists) {
  for (const auto &[stage, list] : llvm::enumerate(lists.stages))
    for (const deepspeed::Line &line : list.instructions) {
      const bool toNext = facesNextStage(line.opcode);
      const bool atEdge = toNext ? stage + 1 == lists.stages.size() : stage == 0;
      if (isPointToPoint(line.opcode) && atEdge)
        return Diagnostic{file.name, line.line, line.column,
                          std::string(deepSpeedWord(line.opcode)) +
                              (toNext ? " on the last stage: there is no next stage"
                                      : " on the first stage: there is no previous stage")};
    }
  return std::nullopt;
}

} // namespace

Result<Schedule> readDeepSpeed(const Source &file, std::vector<std::string> &notes) {
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

  Schedule schedule;
  schedule.name = file.name;
  schedule.files = {file.name};
  schedule.mode = containsAnywhere(*lists, Opcode::backward) ? Mode::training : Mode::inference;
  schedule.execution = Execution::blocking;
  schedule.hasCommunication = true;
  schedule.waitsForGroups = true;
  schedule.stagesPerReplica = dataParallel ? 1 : stages;
  schedule.replicas = dataParallel ? stages : 1;
  schedule.microbatches = lists->microbatches;
  for (std::int32_t stage = 0; stage < stages; ++stage) {
    const StageList &list = lists->stages[static_cast<std::size_t>(stage)];
    schedule.buffers.push_back({list.buffers, list.steps, {FileId(0), list.line, 1}});
    schedule.ranks.push_back(rowOf(list, stage, stage % schedule.stagesPerReplica == 0));
  }
  return schedule;
}

} // namespace plumbline::frontend
