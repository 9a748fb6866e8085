#include "verifier/ir/pir_finish.h"

#include <algorithm>

namespace plumbline::pir {
namespace {

// The text is the last of the Program's files.
void addFileOfText(Reading &reading) {
  const FileId file = reading.fileOfText();
  reading.program().files.push_back(reading.file);
  for (Pool &pool : reading.program().pools)
    pool.location.file = file;
}

bool setGroups(Reading &reading, std::uint32_t endColumn) {
  const std::int32_t said = reading.groups, highest = reading.highestGroup;
  reading.program().groupCount = std::max(said, highest + 1);
  return said < 0 || said > highest ||
         reading.lexer.fail(endColumn, "the header says 'groups " + std::to_string(said) + "', but there is a group " +
                                           std::to_string(highest));
}

std::int32_t stagesNamed(const Reading &reading) {
  std::int32_t named = 0;
  for (const Pending &stage : reading.stagesNamed)
    named = std::max(named, stage.number + 1);
  for (const PlacementLine &line : reading.placement)
    named = std::max(named, line.stage.number + 1);
  return named;
}

bool setSizes(Reading &reading, std::uint32_t endColumn) {
  Program &program = reading.program();
  const std::int32_t replicas = program.replicas;
  const std::int32_t named = stagesNamed(reading);
  if (reading.stages < 0 && named % replicas != 0)
    return reading.lexer.fail(endColumn, std::to_string(named) + " stages do not divide into " +
                                             std::to_string(replicas) + " replicas; expected 'stages N'");
  const std::int32_t stages = reading.stages < 0 ? named / replicas : reading.stages;
  program.microbatches = reading.microbatches < 0 ? reading.highestMicrobatch + 1 : reading.microbatches;
  const std::int64_t all = std::int64_t(stages) * replicas;
  if (all > maxNumber || all * program.microbatches > maxPairs)
    return reading.lexer.fail(endColumn, "stages times replicas is more than " + std::to_string(maxNumber) +
                                             ", or that times microbatches more than " + std::to_string(maxPairs));
  reading.builder.setStages(stages, replicas);
  return true;
}

bool checkRanks(Reading &reading) {
  const std::int32_t ranks = reading.program().rankCount();
  for (const Pending &rank : reading.ranksNamed)
    if (rank.number >= ranks)
      return reading.lexer.failAt(rank.line, rank.column,
                                  "there is no rank " + std::to_string(rank.number) + "; ranks are 0 to " +
                                      std::to_string(ranks - 1));
  return true;
}

bool checkStages(Reading &reading) {
  const std::int32_t stages = reading.program().stageCount();
  const auto check = [&](const Pending &stage) {
    return stage.number < stages || reading.lexer.failAt(stage.line, stage.column,
                                                         "there is no stage " + std::to_string(stage.number) +
                                                             "; the header's sizes make " + std::to_string(stages));
  };
  for (const Pending &stage : reading.stagesNamed)
    if (!check(stage))
      return false;
  for (const PlacementLine &line : reading.placement)
    if (!check(line.stage))
      return false;
  return true;
}

bool placeStages(Reading &reading) {
  std::vector<Stage> &stages = reading.program().stages;
  std::vector<bool> placed(stages.size());
  for (const PlacementLine &line : reading.placement) {
    const std::size_t stage = static_cast<std::size_t>(line.stage.number);
    if (placed[stage])
      return reading.lexer.failAt(line.stage.line, line.stage.column,
                                  "stage " + std::to_string(stage) + " is placed twice");
    placed[stage] = true;
    stages[stage].rank = line.rank;
  }
  for (const auto &[stage, rank] : reading.firstRank)
    if (!placed[static_cast<std::size_t>(stage)])
      stages[static_cast<std::size_t>(stage)].rank = RankId(rank);
  return true;
}

// Stages are numbered through all replicas, so that the last of one and the first of the next look like neighbours.
bool checkEnds(Reading &reading) {
  const Program &program = reading.program();
  if (program.mode == Mode::fragment)
    return true;
  for (const Instruction &i : program.instructions) {
    if (!i.stage.valid())
      continue;
    const bool next = facesNextStage(i.opcode) && program.isLastStage(i.stage);
    if (next || (facesPreviousStage(i.opcode) && program.isFirstStage(i.stage)))
      return reading.lexer.failAt(
          i.location.line, i.location.column,
          std::string(isSend(i.opcode) ? "nothing can receive this: " : "nothing can send this: ") + "stage " +
              std::to_string(i.stage.value()) + " is the " + (next ? "last" : "first") + " of its pipeline");
  }
  return true;
}

} // namespace

bool finish(Reading &reading, std::uint32_t endColumn) {
  addFileOfText(reading);
  return setGroups(reading, endColumn) && setSizes(reading, endColumn) && checkRanks(reading) && checkStages(reading) &&
         placeStages(reading) && checkEnds(reading);
}

} // namespace plumbline::pir
