#include "verifier/frontend/pytorch_batches.h"

#include "verifier/frontend/csv.h"
#include "verifier/frontend/pytorch_action.h"
#include "verifier/ir/text.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <tuple>

namespace plumbline::frontend::pytorch {
namespace {

using Message = std::tuple<int, std::int32_t, std::int32_t>; // opcode, stage, microbatch

Message messageOf(const Action &action) {
  return {static_cast<int>(action.opcode), action.stage.value(), action.microbatch.value()};
}

// Where each message of one row stands that no launch has taken yet.
class Places {
public:
  explicit Places(const std::vector<Action> &row) {
    for (std::size_t at = row.size(); at-- > 0;)
      if (isPointToPoint(row[at].opcode))
        places_[messageOf(row[at])].push_back(at);
  }
  std::optional<std::size_t> take(const Action &action) {
    const auto found = places_.find(messageOf(action));
    if (found == places_.end() || found->second.empty())
      return std::nullopt;
    const std::size_t at = found->second.back();
    found->second.pop_back();
    return at;
  }

private:
  llvm::DenseMap<Message, llvm::SmallVector<std::size_t, 1>> places_; // last place first
};

class Reader {
public:
  Reader(const Source &file, Schedule &schedule) : file_(file), schedule_(schedule) {}

  std::optional<Diagnostic> visit(const Cell &cell) {
    if (cell.row >= schedule_.ranks.size())
      return fault(cell, 0,
                   "expected no launch here: the schedule has only " + std::to_string(schedule_.ranks.size()) +
                       " ranks");
    if (!places_ || row_ != cell.row) {
      row_ = cell.row;
      places_.emplace(schedule_.ranks[row_]);
    }
    members_.clear();
    at_.clear();
    if (std::optional<Diagnostic> wrong = readMembers(cell))
      return wrong;
    return group(cell);
  }

private:
  std::optional<Diagnostic> readMembers(const Cell &cell) {
    for (std::size_t offset = 0;; ++offset) {
      while (offset < cell.text.size() && (cell.text[offset] == ' ' || cell.text[offset] == '\t'))
        ++offset;
      const std::size_t start = offset;
      Action action;
      if (std::optional<CellFault> wrong = parseAction(cell.text, "; \t", offset, action))
        return fault(cell, wrong->offset, wrong->message);
      if (!isPointToPoint(action.opcode))
        return fault(cell, start, "expected a SEND or RECV: only messages are launched together");
      const std::optional<std::size_t> at = places_->take(action);
      if (!at)
        return fault(cell, start,
                     "rank " + std::to_string(row_) + " has no " + inQuotes(cell.text.slice(start, offset)) +
                         " in its row that no other launch has");
      members_.push_back(action);
      at_.push_back(*at);
      offset = cell.text.find_first_not_of(" \t", offset);
      if (offset == llvm::StringRef::npos)
        return std::nullopt;
      if (cell.text[offset] != ';')
        return fault(cell, offset, "expected ';' between the members of a launch");
    }
  }

  std::optional<Diagnostic> group(const Cell &cell) {
    const auto [first, last] = std::minmax_element(at_.begin(), at_.end());
    const std::size_t begin = *first;
    if (*last - begin + 1 != at_.size())
      return fault(cell, 0,
                   "the members of this launch do not stand next to each other in the row of rank " +
                       std::to_string(row_));
    std::vector<Action> &row = schedule_.ranks[row_];
    const GroupId id(schedule_.groupCount++);
    for (std::size_t k = 0; k < members_.size(); ++k) {
      members_[k].location = row[at_[k]].location;
      members_[k].group = id;
    }
    std::copy(members_.begin(), members_.end(), row.begin() + static_cast<std::ptrdiff_t>(begin));
    return std::nullopt;
  }

  [[nodiscard]] Diagnostic fault(const Cell &cell, std::size_t offset, std::string message) const {
    return {file_.name, cell.line, cell.column + static_cast<std::uint32_t>(offset), std::move(message)};
  }

  const Source &file_;
  Schedule &schedule_;
  std::size_t row_ = 0;
  std::optional<Places> places_; // of row_
  std::vector<Action> members_;
  std::vector<std::size_t> at_; // place of each member in the row
};

} // namespace

std::optional<Diagnostic> applyBatches(const Source &batches, Schedule &schedule) {
  Reader reader(batches, schedule);
  const Result<std::uint32_t> rows = forEachCell(batches, [&](const Cell &cell) { return reader.visit(cell); });
  if (!rows)
    return rows.error();
  // A file that ends early was cut off, or belongs to another schedule: taking its other ranks as ungrouped would judge
  // something nobody runs.
  const auto ended = static_cast<std::uint32_t>(batches.text.count('\n'));
  const std::uint32_t lines = ended + (batches.text.empty() || batches.text.ends_with("\n") ? 0 : 1);
  if (lines < schedule.ranks.size())
    return Diagnostic{batches.name, lines + 1, 1,
                      "expected a row for each of the " + std::to_string(schedule.ranks.size()) +
                          " ranks (an empty line for a rank without launches), found " + std::to_string(lines)};
  return std::nullopt;
}

} // namespace plumbline::frontend::pytorch
