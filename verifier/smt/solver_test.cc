#include "verifier/smt/session.h"

#include "gtest/gtest.h"

namespace plumbline::smt {
namespace {

constexpr Constraint before(std::uint32_t a, std::uint32_t b) { return {a, b, true}; }
constexpr Constraint notAfter(std::uint32_t a, std::uint32_t b) { return {a, b, false}; }

TEST(DifferenceSolver, DecidesCycles) {
  DifferenceSolver solver{Budget()};
  EXPECT_EQ(solver.satisfiable(3, {before(0, 1), notAfter(1, 2)}), Answer::yes);
  EXPECT_EQ(solver.satisfiable(3, {notAfter(0, 1), notAfter(1, 2), notAfter(2, 0)}), Answer::yes); // all equal
  EXPECT_EQ(solver.satisfiable(3, {notAfter(0, 1), before(1, 2), notAfter(2, 0)}), Answer::no);
  EXPECT_EQ(solver.statistics().queries, 3U);
}

TEST(DifferenceSolver, CoreIsTheCycle) {
  DifferenceSolver solver{Budget()};
  std::vector<std::uint32_t> core;
  const std::vector<Constraint> constraints = {before(3, 4), before(0, 1), before(1, 2), before(4, 5), notAfter(2, 0)};
  EXPECT_EQ(solver.satisfiable(6, constraints, &core), Answer::no);
  EXPECT_EQ(core, (std::vector<std::uint32_t>{1, 2, 4}));
}

TEST(DifferenceSolver, Entails) {
  DifferenceSolver solver{Budget()};
  const std::vector<Constraint> chain = {notAfter(0, 1), before(1, 2)};
  EXPECT_EQ(solver.entails(3, chain, before(0, 2)), Answer::yes);
  EXPECT_EQ(solver.entails(3, chain, notAfter(0, 1)), Answer::yes);
  EXPECT_EQ(solver.entails(3, chain, before(0, 1)), Answer::no);
  EXPECT_EQ(solver.entails(3, chain, notAfter(2, 0)), Answer::no);
}

TEST(DifferenceSolver, UnknownAfterTheDeadline) {
  Budget spent;
  spent.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  DifferenceSolver solver(spent);
  EXPECT_EQ(solver.satisfiable(2, {before(0, 1)}), Answer::unknown);
  EXPECT_EQ(solver.entails(2, {before(0, 1)}, before(0, 1)), Answer::unknown);
  EXPECT_EQ(solver.reason(), "timeout");
}

// A system of `levels` levels of two events each, where every event follows both of the level before.
struct Ladder {
  std::vector<std::uint32_t> levelStarts = {0}, offsets = {0};
  std::vector<Constraint> constraints;

  explicit Ladder(std::uint32_t levels) {
    for (std::uint32_t l = 0; l < levels; ++l) {
      for (std::uint32_t e = 2 * l; e < 2 * l + 2; ++e) {
        if (l > 0) {
          constraints.push_back(before(2 * l - 2, e));
          constraints.push_back(before(2 * l - 1, e));
        }
        offsets.push_back(static_cast<std::uint32_t>(constraints.size()));
      }
      levelStarts.push_back(2 * l + 2);
    }
  }
  [[nodiscard]] OrderedSystem system() const { return {levelStarts, offsets, constraints}; }
};

TEST(Session, ProvesOrderedSystemsAndAsksEqualWindowsOnce) {
  Session session(2);
  const Ladder ladder(20'000);
  EXPECT_EQ(session.proveSatisfiable(ladder.system(), "ladder").answer, Answer::yes);
  EXPECT_LT(session.statistics().queries, 20U);
  EXPECT_GT(session.statistics().reused, 30U);
}

TEST(Session, RefusesConstraintsThatPointBackwards) {
  Session session(1);
  Ladder ladder(4);
  ladder.constraints[0] = before(7, 2);
  EXPECT_EQ(session.proveSatisfiable(ladder.system(), "ladder").answer, Answer::no);
}

TEST(Session, SaysWhichQuestionTimedOutAndAsksAgainWithMoreTime) {
  Session session(1);
  Budget spent;
  spent.deadline = std::chrono::steady_clock::now();
  session.setBudget(spent);
  const Ladder ladder(10);
  const Judgement judged = session.proveSatisfiable(ladder.system(), "ladder");
  EXPECT_EQ(judged.answer, Answer::unknown);
  EXPECT_EQ(judged.failure, "ladder, window 1 of 1: timeout");
  session.setBudget(Budget());
  EXPECT_EQ(session.proveSatisfiable(ladder.system(), "ladder").answer, Answer::yes);
}

TEST(Session, NamesTheClaimThatIsNotEntailed) {
  Session session(1);
  Query holds, fails;
  holds.events = fails.events = 2;
  holds.constraints = fails.constraints = {notAfter(0, 1)};
  holds.hasClaim = fails.hasClaim = true;
  holds.claim = notAfter(0, 1);
  fails.claim = before(0, 1);
  const Judgement judged = session.proveAll({holds, fails}, [](std::size_t k) { return "claim " + std::to_string(k); });
  EXPECT_EQ(judged.answer, Answer::no);
  EXPECT_EQ(judged.failure, "claim 1: refuted");
}

// Two devices; each first holds itself for the other's second unit: hangs in one order, not in the other.
TEST(FindHang, FindsTheOrderThatHangs) {
  std::vector<ExclusiveUnit> units(3);
  units[0].device = 0; // a receive that ends when unit 2 has begun
  units[0].endAfter = {2};
  units[1].device = 0; // work that unit 2 needs
  units[2].device = 1;
  units[2].beginAfter = {1};
  ExclusiveHang hang;
  std::string reason;
  Statistics statistics;
  ASSERT_EQ(findHang(units, Budget(), &hang, &reason, &statistics), Answer::yes);
  EXPECT_EQ(hang.held, std::vector<std::uint32_t>{0});
  units[0].beginAfter = {1}; // the work comes first
  EXPECT_EQ(findHang(units, Budget(), &hang, &reason, &statistics), Answer::no);
}

} // namespace
} // namespace plumbline::smt
