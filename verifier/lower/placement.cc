#include "verifier/lower/placement.h"

#include "verifier/ir/limits.h"
#include "verifier/ir/text.h"

#include "llvm/ADT/StringExtras.h"

namespace plumbline::lower {
namespace {

template <typename Predicate> void place(const Schedule &schedule, Placement &placement, Predicate predicate) {
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank)
    for (const Action &action : schedule.ranks[rank])
      if (action.stage.valid() && predicate(action.opcode)) {
        RankId &entry = placement[static_cast<std::size_t>(action.stage.value())];
        if (!entry.valid())
          entry = RankId(static_cast<std::int32_t>(rank));
      }
}

Diagnostic at(const Schedule &schedule, const Action &action, std::string message) {
  const SourceLocation &where = action.location;
  const bool known = where.valid() && static_cast<std::size_t>(where.file.value()) < schedule.files.size();
  return {known ? schedule.files[static_cast<std::size_t>(where.file.value())] : schedule.name, where.line,
          where.column, std::move(message)};
}

struct Entry {
  std::int32_t stage = 0;
  std::int32_t rank = 0;
};

// A line's two numbers; an error message if they are not there.
std::optional<std::string> parseLine(Scanner &scanner, Entry &entry) {
  const auto number = [&](llvm::StringRef word, std::int32_t &result) -> std::optional<std::string> {
    scanner.skipBlanks();
    if (scanner.consume(word))
      scanner.skipBlanks();
    const Number read = scanner.number(static_cast<std::uint64_t>(maxNumber) - 1);
    if (read.status == Number::Status::missing)
      return "expected the number of a " + word.str() + ", as in 'stage 3 on rank 1' or '3 1'";
    if (read.status == Number::Status::tooLarge)
      return "the number is not below " + std::to_string(maxNumber);
    result = static_cast<std::int32_t>(read.value);
    return std::nullopt;
  };
  if (std::optional<std::string> wrong = number("stage", entry.stage))
    return wrong;
  scanner.skipBlanks();
  if (!scanner.consume(':') && !scanner.consume(','))
    scanner.consume("on");
  if (std::optional<std::string> wrong = number("rank", entry.rank))
    return wrong;
  scanner.skipBlanks();
  if (!scanner.atEnd() && scanner.peek() != '#')
    return "expected the end of the line, found " + inQuotes(scanner.rest());
  return std::nullopt;
}

} // namespace

Placement placementOf(const Schedule &schedule) {
  Placement placement(static_cast<std::size_t>(schedule.stagesPerReplica) *
                      static_cast<std::size_t>(schedule.replicas));
  place(schedule, placement, [](Opcode o) { return o == Opcode::forward; });
  place(schedule, placement, [](Opcode) { return true; });
  return placement;
}

Placement loopPlacement(std::int32_t stages, std::int32_t ranks) {
  Placement placement;
  for (std::int32_t stage = 0; stage < stages; ++stage)
    placement.push_back(RankId(stage % ranks));
  return placement;
}

Placement vPlacement(std::int32_t stages, std::int32_t ranks) {
  Placement placement;
  for (std::int32_t stage = 0; stage < stages; ++stage) {
    const bool down = stage / ranks % 2 == 0;
    placement.push_back(RankId(down ? stage % ranks : ranks - 1 - stage % ranks));
  }
  return placement;
}

Result<Placement> parsePlacementFile(const std::string &name, llvm::StringRef text) {
  if (std::optional<Diagnostic> wrong = checkText(name, text))
    return *std::move(wrong);
  Placement placement;
  LineReader lines(text);
  while (const std::optional<Line> line = lines.next()) {
    Scanner scanner(line->text, line->number == 1 ? byteOrderMark(line->text) : 0);
    scanner.skipBlanks();
    if (scanner.atEnd() || scanner.peek() == '#')
      continue;
    const std::uint32_t column = scanner.column();
    Entry entry;
    if (std::optional<std::string> wrong = parseLine(scanner, entry))
      return Diagnostic{name, line->number, scanner.column(), *std::move(wrong)};
    const std::size_t stage = static_cast<std::size_t>(entry.stage);
    if (placement.size() <= stage)
      placement.resize(stage + 1);
    if (placement[stage].valid())
      return Diagnostic{name, line->number, column, "stage " + std::to_string(stage) + " is placed twice"};
    placement[stage] = RankId(entry.rank);
  }
  for (std::size_t stage = 0; stage < placement.size(); ++stage)
    if (!placement[stage].valid())
      return Diagnostic{name, 0, 0, "stage " + std::to_string(stage) + " has no line"};
  if (placement.empty())
    return Diagnostic{name, 1, 1, "expected a line such as 'stage 0 on rank 0'"};
  return placement;
}

std::optional<Diagnostic> checkPlacement(const Schedule &schedule, llvm::ArrayRef<RankId> placement) {
  const std::size_t stages = placementOf(schedule).size();
  if (placement.size() != stages)
    return Diagnostic{schedule.name, 0, 0,
                      "number of stages: the placement has " + std::to_string(placement.size()) + ", the schedule " +
                          std::to_string(stages)};
  for (std::size_t stage = 0; stage < stages; ++stage)
    if (placement[stage].value() >= static_cast<std::int64_t>(schedule.ranks.size()))
      return Diagnostic{schedule.name, 0, 0,
                        "the placement puts stage " + std::to_string(stage) + " on rank " +
                            std::to_string(placement[stage].value()) + "; the schedule has only " +
                            std::to_string(schedule.ranks.size()) + " ranks"};
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank)
    for (const Action &action : schedule.ranks[rank]) {
      if (!action.stage.valid())
        continue;
      const RankId expected = placement[static_cast<std::size_t>(action.stage.value())];
      if (expected.value() != static_cast<std::int32_t>(rank))
        return at(schedule, action,
                  "stage " + std::to_string(action.stage.value()) + " is worked on by rank " + std::to_string(rank) +
                      ", but the placement has it on rank " + std::to_string(expected.value()));
    }
  return std::nullopt;
}

} // namespace plumbline::lower
