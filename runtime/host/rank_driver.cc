#include "runtime/host/rank_driver.h"

#include "llvm/ADT/STLExtras.h"

#include <iterator>

namespace plumbline::runtime {

void RankDriver::settle(Agenda &agenda) {
  while (!agenda.empty()) {
    const Event event = agenda.pop_back_val();
    if (event.kind == Event::Kind::begin && plan_.steps[event.index].computes)
      offer(event.index);
    else
      machine_.happen(event, agenda);
  }
}

bool RankDriver::runStep(StepIndex step) {
  Agenda agenda, own;
  machine_.happen({Event::Kind::begin, step}, agenda);
  const auto isOwn = [&](Event event) {
    return event.kind == Event::Kind::complete && plan_.stepOf[event.index] == step &&
           !needsOthers(plan_.instruction(event.index));
  };
  llvm::copy_if(agenda, std::back_inserter(own), isOwn);
  llvm::erase_if(agenda, isOwn);
  settle(agenda); // messages of the same group go out before the work
  for (const Event event : own) {
    if (isOver())
      return false;
    if (std::string wrong = perform(event.index); !wrong.empty()) {
      failed(event.index, std::move(wrong));
      return false;
    }
    agenda.push_back(event);
    settle(agenda);
  }
  return !isOver();
}

} // namespace plumbline::runtime
