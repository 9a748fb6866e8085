#include "verifier/lower/communicators.h"

#include "llvm/ADT/StringMap.h"

#include <string>

namespace plumbline::lower {
namespace {

Communicator communicatorOf(const Instruction &message, Communicators mode) {
  if (mode == Communicators::single)
    return {"pipeline", {}, -1};
  RankId first = isSend(message.opcode) ? message.rank : message.peer;
  RankId second = isSend(message.opcode) ? message.peer : message.rank;
  if (mode == Communicators::pair && second < first)
    std::swap(first, second);
  const std::string a = std::to_string(first.value()), b = std::to_string(second.value());
  return {mode == Communicators::pair ? "pair " + a + "-" + b : a + " to " + b, {first, second}, -1};
}

class Rewriter {
public:
  Rewriter(Program &program, Communicators mode)
      : program_(program), mode_(mode), kept_(program.communicators.size()) {}

  void run() {
    std::swap(old_, program_.communicators);
    for (Instruction &i : program_.instructions)
      if (!isPointToPoint(i.opcode) && i.communicator.valid())
        keep(i);
    for (Instruction &i : program_.instructions)
      if (isPointToPoint(i.opcode))
        assign(i);
  }

private:
  void keep(Instruction &i) {
    CommunicatorId &kept = kept_[static_cast<std::size_t>(i.communicator.value())];
    if (!kept.valid()) {
      kept = add(old_[static_cast<std::size_t>(i.communicator.value())]);
      byName_.try_emplace(program_.communicators.back().name, kept);
    }
    i.communicator = kept;
  }

  void assign(Instruction &i) {
    Communicator wanted = communicatorOf(i, mode_);
    const auto [entry, isNew] = byName_.try_emplace(wanted.name, CommunicatorId());
    if (isNew) {
      wanted.room = i.communicator.valid() ? old_[static_cast<std::size_t>(i.communicator.value())].room : -1;
      entry->second = add(std::move(wanted));
    }
    i.communicator = entry->second;
  }

  CommunicatorId add(Communicator communicator) {
    program_.communicators.push_back(std::move(communicator));
    return CommunicatorId(static_cast<std::int32_t>(program_.communicators.size()) - 1);
  }

  Program &program_;
  Communicators mode_;
  std::vector<Communicator> old_;
  std::vector<CommunicatorId> kept_; // by old id
  llvm::StringMap<CommunicatorId> byName_;
};

} // namespace

void setCommunicators(Program &program, Communicators mode) { Rewriter(program, mode).run(); }

} // namespace plumbline::lower
