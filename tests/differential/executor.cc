#include "tests/differential/executor.h"

#include <algorithm>

namespace plumbline::oracle {
namespace {

Outcome outcomeOf(const Layout &layout, const Execution &execution) {
  Outcome outcome;
  outcome.finished = true;
  for (std::size_t i = 0; i < layout.unitOf.size(); ++i) {
    const int unit = layout.unitOf[i];
    outcome.begin.push_back(execution.beginTime(unit));
    outcome.completion.push_back(execution.completionTime(static_cast<int>(i)));
    outcome.ended.push_back(execution.ended(unit) ? 1 : 0);
    outcome.finished &= execution.ended(unit);
  }
  return outcome;
}

enum class Step { begin, complete, end, beginHostStep, endHostStep };

bool take(Execution &execution, Step step, int of) {
  switch (step) {
  case Step::begin: {
    if (execution.begun(of) || !execution.mayBegin(of))
      return false;
    execution.begin(of);
    return true;
  }
  case Step::complete:
    return execution.complete(of);
  case Step::end:
    return execution.end(of);
  case Step::beginHostStep:
    return execution.beginHostStep(of);
  case Step::endHostStep:
    return execution.endHostStep(of);
  }
  return false;
}

} // namespace

Outcome simulate(const Program &program, const model::Options &options, Withheld withheld) {
  const Layout layout(program, options);
  Execution execution(layout);
  execution.reset(withheld);
  execution.runToTheEnd();
  return outcomeOf(layout, execution);
}

Outcome simulateInRandomOrder(const Program &program, const model::Options &options, Random &random) {
  const Layout layout(program, options);
  Execution execution(layout);
  std::vector<std::pair<Step, int>> steps;
  for (int u = 0; u < static_cast<int>(layout.units.size()); ++u) {
    steps.emplace_back(Step::begin, u);
    steps.emplace_back(Step::end, u);
  }
  for (int i = 0; i < static_cast<int>(layout.unitOf.size()); ++i)
    steps.emplace_back(Step::complete, i);
  for (int r = 0; r < program.rankCount(); ++r) {
    steps.emplace_back(Step::beginHostStep, r);
    steps.emplace_back(Step::endHostStep, r);
  }
  // Tries the steps in an ever new order; a step that took place reshuffles, so that late ones get their chance.
  for (bool moved = !steps.empty(); moved;) {
    moved = false;
    for (std::size_t k = 0; k < steps.size() && !moved; ++k) {
      std::swap(steps[k], steps[k + random.next() % (steps.size() - k)]);
      moved = take(execution, steps[k].first, steps[k].second);
    }
  }
  return outcomeOf(layout, execution);
}

bool hangs(const Program &program, const model::Options &options, std::vector<InstructionId> *stuck) {
  const Outcome outcome = simulate(program, options);
  if (stuck) {
    stuck->clear();
    for (std::size_t i = 0; i < outcome.ended.size(); ++i)
      if (!outcome.ended[i])
        stuck->push_back(InstructionId(static_cast<int>(i)));
  }
  return !outcome.finished;
}

} // namespace plumbline::oracle
