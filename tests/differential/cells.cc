#include "tests/differential/cells.h"

#include "verifier/ir/builder.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <tuple>

namespace plumbline::oracle {
namespace {

struct Cell {
  int stage = 0;
  int microbatch = 0;
  Opcode opcode = Opcode::compute;
  int group = -1;
};

Opcode opcodeOf(llvm::StringRef letters) {
  const std::map<std::string, Opcode> opcodes = {
      {"F", Opcode::forward},
      {"B", Opcode::backward},
      {"I", Opcode::backward_input},
      {"W", Opcode::backward_weight},
      {"SEND_F", Opcode::send_activation},
      {"RECV_F", Opcode::receive_activation},
      {"SEND_B", Opcode::send_gradient},
      {"RECV_B", Opcode::receive_gradient},
  };
  return opcodes.at(letters.str());
}

Cell parse(llvm::StringRef text, int group) {
  Cell cell;
  const bool read = !text.consumeInteger(10, cell.stage);
  const llvm::StringRef letters = text.take_while([](char c) { return !llvm::isDigit(c); });
  cell.opcode = opcodeOf(letters);
  [[maybe_unused]] const bool ok = read && !text.drop_front(letters.size()).getAsInteger(10, cell.microbatch);
  assert(ok && "not a cell");
  cell.group = group;
  return cell;
}

std::vector<std::vector<Cell>> parseRows(const std::vector<std::string> &rows, int &groups) {
  std::vector<std::vector<Cell>> parsed;
  for (const llvm::StringRef row : rows) {
    llvm::SmallVector<llvm::StringRef> entries;
    row.split(entries, ',', -1, false);
    std::vector<Cell> &cells = parsed.emplace_back();
    for (const llvm::StringRef entry : entries) {
      llvm::SmallVector<llvm::StringRef> members;
      entry.split(members, ';', -1, false);
      const int group = members.size() > 1 ? groups++ : -1;
      for (const llvm::StringRef member : members)
        cells.push_back(parse(member.trim(), group));
    }
  }
  return parsed;
}

// The stage at the other end of a message.
int partnerStage(const Cell &c) {
  return c.opcode == Opcode::send_activation || c.opcode == Opcode::receive_gradient ? c.stage + 1 : c.stage - 1;
}

// The opcodes that this one's data comes from, on the same stage.
std::vector<Opcode> sourcesOf(Opcode o) {
  switch (o) {
  case Opcode::forward:
    return {Opcode::receive_activation};
  case Opcode::send_activation:
    return {Opcode::forward};
  case Opcode::backward:
  case Opcode::backward_input:
    return {Opcode::receive_gradient, Opcode::forward};
  case Opcode::backward_weight:
    return {Opcode::backward_input};
  case Opcode::send_gradient:
    return {Opcode::backward, Opcode::backward_input};
  default:
    return {};
  }
}

} // namespace

Program programOfCells(const std::vector<std::string> &rows, CellComms comms) {
  ProgramBuilder builder;
  int groups = 0;
  const std::vector<std::vector<Cell>> cells = parseRows(rows, groups);
  std::map<int, int> rankOfStage;
  int microbatches = 0;
  for (std::size_t r = 0; r < cells.size(); ++r)
    for (const Cell &c : cells[r]) {
      rankOfStage[c.stage] = static_cast<int>(r);
      microbatches = std::max(microbatches, c.microbatch + 1);
    }
  builder.setStages(rankOfStage.empty() ? 0 : rankOfStage.rbegin()->first + 1, 1);
  for (const auto &[stage, rank] : rankOfStage)
    builder.program().stages[static_cast<std::size_t>(stage)].rank = RankId(rank);
  builder.program().microbatches = microbatches;
  builder.program().groupCount = groups;
  std::map<std::pair<int, int>, CommunicatorId> communicators;
  const auto communicatorOf = [&](int from, int to) {
    std::pair<int, int> key(0, 0);
    if (comms == CellComms::pair)
      key = std::minmax(from, to);
    else if (comms == CellComms::directed)
      key = {from, to};
    if (!communicators.contains(key))
      communicators[key] = builder.addCommunicator({"c" + std::to_string(communicators.size()), {}, -1});
    return communicators[key];
  };
  for (const std::vector<Cell> &row : cells) {
    const int rank = builder.beginRank().value();
    std::map<std::tuple<Opcode, int, int>, InstructionId> done;
    for (const Cell &c : row) {
      Instruction i;
      i.opcode = c.opcode;
      i.stage = StageId(c.stage);
      i.microbatch = MicrobatchId(c.microbatch);
      i.group = GroupId(c.group);
      if (isPointToPoint(c.opcode)) {
        const int peer = rankOfStage.at(partnerStage(c));
        i.peer = RankId(peer);
        i.communicator = isSend(c.opcode) ? communicatorOf(rank, peer) : communicatorOf(peer, rank);
      }
      std::vector<InstructionId> waits;
      for (const Opcode source : sourcesOf(c.opcode))
        if (const auto it = done.find({source, c.stage, c.microbatch}); it != done.end())
          waits.push_back(it->second);
      done[{c.opcode, c.stage, c.microbatch}] = builder.append(i, {}, waits);
    }
  }
  return std::move(builder).take();
}

} // namespace plumbline::oracle
