#include "verifier/smt/solver.h"

#include <z3++.h>

#include <algorithm>

namespace plumbline::smt {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Milliseconds left until the deadline, at most what Z3 accepts; 0 when it has passed.
unsigned millisecondsLeft(const Budget &budget) {
  constexpr std::int64_t longest = 1'000'000'000;
  if (budget.deadline == Clock::time_point::max())
    return longest;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(budget.deadline - Clock::now()).count();
  return static_cast<unsigned>(std::clamp<std::int64_t>(left, 0, longest));
}

} // namespace

struct DifferenceSolver::State {
  z3::context context;
  std::vector<z3::expr> times; // t0, t1, ...: made once, shared by all queries

  void reserve(std::uint32_t events) {
    while (times.size() < events)
      times.push_back(context.int_const(("t" + std::to_string(times.size())).c_str()));
  }
  z3::expr atom(const Constraint &c) { return times[c.to] - times[c.from] >= (c.strict ? 1 : 0); }

  // The bare SMT core with the Bellman-Ford difference-logic theory: no tactics, no preprocessing, which costs more
  // than the search on queries of this size (docs/performance.md).
  z3::solver fresh(const Budget &budget) {
    z3::solver solver(context, z3::solver::simple());
    z3::params parameters(context);
    parameters.set("arith.solver", 1U);
    parameters.set("random_seed", budget.seed);
    parameters.set("timeout", std::max(1U, millisecondsLeft(budget)));
    solver.set(parameters);
    return solver;
  }
};

std::string z3Version() {
  unsigned major = 0, minor = 0, build = 0, revision = 0;
  Z3_get_version(&major, &minor, &build, &revision);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(build);
}

DifferenceSolver::DifferenceSolver(const Budget &budget) : state_(std::make_unique<State>()), budget_(budget) {}
DifferenceSolver::~DifferenceSolver() = default;

Answer DifferenceSolver::satisfiable(std::uint32_t events, llvm::ArrayRef<Constraint> constraints,
                                     std::vector<std::uint32_t> *core) {
  return ask(events, constraints, nullptr, core);
}

Answer DifferenceSolver::entails(std::uint32_t events, llvm::ArrayRef<Constraint> constraints, Constraint claim) {
  // Not (to >= from) is (from > to); not (to > from) is (from >= to).
  const Constraint negated{claim.to, claim.from, !claim.strict};
  const Answer violated = ask(events, constraints, &negated, nullptr);
  return violated == Answer::unknown ? Answer::unknown : violated == Answer::no ? Answer::yes : Answer::no;
}

Answer DifferenceSolver::ask(std::uint32_t events, llvm::ArrayRef<Constraint> constraints, const Constraint *negated,
                             std::vector<std::uint32_t> *core) {
  const auto start = Clock::now();
  if (millisecondsLeft(budget_) == 0) {
    reason_ = "timeout";
    return Answer::unknown;
  }
  ++statistics_.queries;
  Answer answer = Answer::unknown;
  try {
    state_->reserve(events);
    z3::solver solver = state_->fresh(budget_);
    for (std::uint32_t i = 0; i < constraints.size(); ++i) {
      if (core)
        solver.add(state_->atom(constraints[i]), ("c" + std::to_string(i)).c_str());
      else
        solver.add(state_->atom(constraints[i]));
    }
    if (negated)
      solver.add(state_->atom(*negated));
    const z3::check_result result = solver.check();
    answer = result == z3::sat ? Answer::yes : result == z3::unsat ? Answer::no : Answer::unknown;
    if (result == z3::unknown)
      reason_ = solver.reason_unknown();
    if (result == z3::unsat && core) {
      core->clear();
      for (const z3::expr &c : solver.unsat_core())
        core->push_back(static_cast<std::uint32_t>(std::stoul(c.decl().name().str().substr(1))));
      std::sort(core->begin(), core->end());
    }
  } catch (const z3::exception &error) {
    reason_ = error.msg();
    answer = Answer::unknown;
  }
  statistics_.seconds += secondsSince(start);
  return answer;
}

} // namespace plumbline::smt
