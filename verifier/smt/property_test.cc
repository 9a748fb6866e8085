// Random systems: Z3, asked in any of our ways, agrees with Bellman and Ford.
#include "verifier/smt/session.h"

#include "gtest/gtest.h"

#include "rapidcheck.h"

#include "rapidcheck/gtest.h"

namespace plumbline::smt {
namespace {

// Longest-path relaxation: times that satisfy all constraints, or nothing if a cycle holds a strict one.
bool hasSolution(std::uint32_t events, const std::vector<Constraint> &constraints) {
  std::vector<std::int64_t> time(events, 0);
  for (std::uint32_t round = 0; round <= events; ++round) {
    bool changed = false;
    for (const Constraint &c : constraints)
      if (time[c.to] < time[c.from] + (c.strict ? 1 : 0)) {
        time[c.to] = time[c.from] + (c.strict ? 1 : 0);
        changed = true;
      }
    if (!changed)
      return true;
  }
  return false;
}

std::vector<Constraint> randomConstraints(std::uint32_t events, bool forward) {
  const auto count = *rc::gen::inRange<std::size_t>(0, std::size_t{3} * events);
  std::vector<Constraint> constraints;
  for (std::size_t k = 0; k < count; ++k) {
    auto from = *rc::gen::inRange<std::uint32_t>(0, events), to = *rc::gen::inRange<std::uint32_t>(0, events);
    if (forward && from > to)
      std::swap(from, to);
    if (from != to)
      constraints.push_back({from, to, *rc::gen::arbitrary<bool>()});
  }
  return constraints;
}

Answer answerOf(bool yes) { return yes ? Answer::yes : Answer::no; }

RC_GTEST_PROP(DifferenceSolver, AgreesWithBellmanFord, ()) {
  static DifferenceSolver solver{Budget()};
  const auto events = *rc::gen::inRange<std::uint32_t>(1, 12);
  const std::vector<Constraint> constraints = randomConstraints(events, false);
  std::vector<std::uint32_t> core;
  const Answer answer = solver.satisfiable(events, constraints, &core);
  RC_ASSERT(answer == answerOf(hasSolution(events, constraints)));
  if (answer == Answer::no) {
    std::vector<Constraint> kept;
    kept.reserve(core.size());
    for (const std::uint32_t k : core)
      kept.push_back(constraints[k]);
    RC_ASSERT(!hasSolution(events, kept));
  }
}

RC_GTEST_PROP(DifferenceSolver, EntailsWhatEverySolutionSatisfies, ()) {
  static DifferenceSolver solver{Budget()};
  const auto events = *rc::gen::inRange<std::uint32_t>(2, 10);
  const std::vector<Constraint> constraints = randomConstraints(events, true);
  const Constraint claim{*rc::gen::inRange<std::uint32_t>(0, events), *rc::gen::inRange<std::uint32_t>(0, events),
                         *rc::gen::arbitrary<bool>()};
  std::vector<Constraint> violated = constraints;
  violated.push_back({claim.to, claim.from, !claim.strict});
  RC_ASSERT(solver.entails(events, constraints, claim) == answerOf(!hasSolution(events, violated)));
}

// One event a level, constraints forward: satisfiable, and the windows must say so whatever their cut.
RC_GTEST_PROP(Session, WindowsProveEveryForwardSystem, ()) {
  static Session session(2);
  const auto events = *rc::gen::inRange<std::uint32_t>(1, 3000);
  std::vector<Constraint> constraints = randomConstraints(events, true);
  std::stable_sort(constraints.begin(), constraints.end(),
                   [](const Constraint &a, const Constraint &b) { return a.to < b.to; });
  std::vector<std::uint32_t> offsets(events + 1, 0), levels(events + 1);
  for (const Constraint &c : constraints)
    ++offsets[c.to + 1];
  for (std::uint32_t e = 0; e < events; ++e) {
    offsets[e + 1] += offsets[e];
    levels[e + 1] = e + 1;
  }
  RC_ASSERT(session.proveSatisfiable({levels, offsets, constraints}, "random").answer == Answer::yes);
}

} // namespace
} // namespace plumbline::smt
