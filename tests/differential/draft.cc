#include "tests/differential/draft.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace plumbline::oracle {
namespace {

std::string number(const char *prefix, std::int32_t value) { return value < 0 ? "" : prefix + std::to_string(value); }

std::string describeAccess(const SlotAccess &a) {
  return std::string(a.mode == AccessMode::read ? " read " : " write ") + "p" + std::to_string(a.pool.value()) + "[" +
         std::to_string(a.slot) + "]=" + name(a.value.kind).str() + number(".s", a.value.stage.value()) +
         number(".m", a.value.microbatch.value());
}

} // namespace

Line &Draft::append(int rank, const Instruction &instruction) {
  Line &line = ranks[rank].emplace_back();
  line.key = nextKey++;
  line.instruction = instruction;
  line.instruction.rank = RankId(rank);
  return line;
}

Draft draftOf(const Program &program) {
  Draft draft;
  draft.header = program;
  draft.header.ranks.clear();
  draft.header.instructions.clear();
  draft.header.accesses.clear();
  draft.header.waits.clear();
  draft.ranks.resize(program.ranks.size());
  for (int r = 0; r < program.rankCount(); ++r)
    for (const Instruction &i : program.instructionsOf(RankId(r))) {
      Line &line = draft.append(r, i); // so keys are the numbers of the instructions
      line.accesses = program.accessesOf(i).vec();
      for (const InstructionId w : program.waitsOf(i))
        line.waits.push_back(w.value());
    }
  return draft;
}

Program programOf(const Draft &draft) {
  Program program = draft.header;
  llvm::DenseSet<std::int32_t> usedGroups;
  for (std::size_t r = 0; r < draft.ranks.size(); ++r) {
    llvm::DenseMap<int, InstructionId> idOfKey;
    RankProgram rank;
    rank.instructions.first = static_cast<std::uint32_t>(program.instructions.size());
    rank.instructions.count = static_cast<std::uint32_t>(draft.ranks[r].size());
    GroupId openGroup;   // as the line names it
    GroupId openGroupAs; // as the Program names it
    for (const Line &line : draft.ranks[r]) {
      Instruction i = line.instruction;
      i.rank = RankId(static_cast<std::int32_t>(r));
      if (i.group != openGroup) {
        openGroup = openGroupAs = i.group;
        if (i.group.valid() && !usedGroups.insert(i.group.value()).second)
          openGroupAs = GroupId(program.groupCount++);
      }
      i.group = openGroupAs;
      i.accesses = {static_cast<std::uint32_t>(program.accesses.size()),
                    static_cast<std::uint32_t>(line.accesses.size())};
      program.accesses.insert(program.accesses.end(), line.accesses.begin(), line.accesses.end());
      i.waits.first = static_cast<std::uint32_t>(program.waits.size());
      for (const int key : line.waits)
        if (const auto it = idOfKey.find(key); it != idOfKey.end())
          program.waits.push_back(it->second);
      i.waits.count = static_cast<std::uint32_t>(program.waits.size()) - i.waits.first;
      idOfKey[line.key] = InstructionId(static_cast<std::int32_t>(program.instructions.size()));
      program.instructions.push_back(i);
    }
    program.ranks.push_back(rank);
  }
  return program;
}

std::string describe(const Program &program, InstructionId id) {
  const Instruction &i = program.at(id);
  const int place = id.value() - static_cast<int>(program.ranks[i.rank.value()].instructions.first);
  std::string text = "rank " + std::to_string(i.rank.value()) + " #" + std::to_string(place) + " " +
                     name(i.opcode).str() + number(" s", i.stage.value()) + number(" m", i.microbatch.value());
  if (isPointToPoint(i.opcode))
    text += (isSend(i.opcode) ? " to " : " from ") + std::to_string(i.peer.value());
  return text + number(" comm ", i.communicator.value());
}

std::string describe(const Program &program) {
  std::string text;
  for (int n = 0; n < static_cast<int>(program.instructions.size()); ++n) {
    const Instruction &i = program.instructions[n];
    text += std::to_string(n) + ": " + describe(program, InstructionId(n)) + number(" group ", i.group.value());
    if (i.bytes > 0)
      text += " bytes " + std::to_string(i.bytes);
    for (const SlotAccess &a : program.accessesOf(i))
      text += describeAccess(a);
    if (i.waits.count > 0)
      text += " waits";
    for (const InstructionId w : program.waitsOf(i))
      text += " " + std::to_string(w.value());
    text += "\n";
  }
  for (std::size_t c = 0; c < program.communicators.size(); ++c) {
    text += "comm " + std::to_string(c) + ": room " + std::to_string(program.communicators[c].room) + ", members";
    for (const RankId m : program.communicators[c].members)
      text += " " + std::to_string(m.value());
    text += program.communicators[c].members.empty() ? " all\n" : "\n";
  }
  return text;
}

} // namespace plumbline::oracle
