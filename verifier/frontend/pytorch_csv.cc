#include "verifier/frontend/pytorch_csv.h"

#include "verifier/frontend/csv.h"
#include "verifier/frontend/pytorch_action.h"
#include "verifier/frontend/pytorch_batches.h"
#include "verifier/frontend/schedule_size.h"
#include "verifier/ir/limits.h"

#include "llvm/ADT/STLExtras.h"

namespace plumbline::frontend {
namespace {

class Reader {
public:
  Reader(const Source &file, Schedule &schedule) : file_(file), schedule_(schedule) {}

  std::optional<Diagnostic> visit(const Cell &cell) {
    if (cell.row >= maxNumber)
      return fault(cell, 0, "more than " + std::to_string(maxNumber) + " ranks");
    actions_.clear();
    if (std::optional<pytorch::CellFault> wrong = pytorch::parseCell(cell.text, actions_))
      return fault(cell, wrong->offset, std::move(wrong->message));
    count_ += static_cast<std::int64_t>(actions_.size());
    if (count_ > maxInstructions)
      return fault(cell, 0, "more than " + std::to_string(maxInstructions) + " actions");
    append(cell);
    return std::nullopt;
  }

private:
  void append(const Cell &cell) {
    if (schedule_.ranks.size() <= cell.row)
      schedule_.ranks.resize(cell.row + 1);
    const GroupId group = actions_.size() > 1 ? GroupId(schedule_.groupCount++) : GroupId();
    for (Action &action : actions_) {
      action.group = group;
      action.location = {FileId(0), cell.line, cell.column + action.location.column};
      schedule_.hasCommunication |= isPointToPoint(action.opcode);
      schedule_.ranks[cell.row].push_back(action);
    }
  }

  [[nodiscard]] Diagnostic fault(const Cell &cell, std::size_t offset, std::string message) const {
    return {file_.name, cell.line, cell.column + static_cast<std::uint32_t>(offset), std::move(message)};
  }

  const Source &file_;
  Schedule &schedule_;
  std::int64_t count_ = 0;
  llvm::SmallVector<Action, 2> actions_;
};

std::optional<Diagnostic> checkSize(const Source &file, const Schedule &schedule) {
  if (llvm::all_of(schedule.ranks, [](const std::vector<Action> &row) { return row.empty(); }))
    return Diagnostic{file.name, 1, 1, "expected at least one action such as 0F0"};
  if (std::int64_t(schedule.stagesPerReplica) * schedule.microbatches > maxPairs)
    return Diagnostic{file.name, 0, 0,
                      std::to_string(schedule.stagesPerReplica) + " stages times " +
                          std::to_string(schedule.microbatches) + " microbatches is more than " +
                          std::to_string(maxPairs)};
  return std::nullopt;
}

} // namespace

Result<Schedule> readPyTorchCsv(const Source &file, const std::optional<Source> &batches) {
  Schedule schedule;
  schedule.name = file.name;
  schedule.files = {file.name};
  Reader reader(file, schedule);
  const Result<std::uint32_t> rows = forEachCell(file, [&](const Cell &cell) { return reader.visit(cell); });
  if (!rows)
    return rows.error();
  if (*rows > maxNumber)
    return Diagnostic{file.name, *rows, 1, "more than " + std::to_string(maxNumber) + " ranks"};
  schedule.ranks.resize(*rows);
  schedule.stagesPerReplica = countStages(schedule);
  schedule.microbatches = countMicrobatches(schedule);
  schedule.mode = modeOf(schedule);
  if (std::optional<Diagnostic> wrong = checkSize(file, schedule))
    return *std::move(wrong);
  if (batches) {
    schedule.waitsForGroups = true;
    if (std::optional<Diagnostic> wrong = pytorch::applyBatches(*batches, schedule))
      return *std::move(wrong);
  }
  return schedule;
}

} // namespace plumbline::frontend
