// All questions of one verification: splits large systems into windows, asks equal questions once, works in parallel.
#pragma once

#include "verifier/smt/exclusive.h"
#include "verifier/smt/solver.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace plumbline::smt {

// A question over its own events 0 .. events-1. Entailment if `claim` is set, else satisfiability.
struct Query {
  std::uint32_t events = 0;
  std::vector<Constraint> constraints;
  bool hasClaim = false;
  Constraint claim;
};

// A system whose events are given in an order along which every constraint points forward.
struct OrderedSystem {
  llvm::ArrayRef<std::uint32_t> levelStarts; // events of level l: [levelStarts[l], levelStarts[l+1]); last = count
  llvm::ArrayRef<std::uint32_t> offsets;     // constraints into event e: [offsets[e], offsets[e+1])
  llvm::ArrayRef<Constraint> constraints;    // sorted by `to`
};

struct Judgement {
  Answer answer = Answer::unknown; // yes: proved; no: refuted
  std::string failure;             // for unknown or no: which question, and why
};

// Z3's contexts live as long as the session, and so do answers: the bytes kept are bounded.
class Session {
public:
  explicit Session(unsigned jobs);
  ~Session();

  // What the following questions may spend.
  void setBudget(const Budget &budget);

  // Proves that an ordered system has a solution. The order is cut into windows; Z3 is asked for each window, and
  // that every constraint between windows points forward is checked by index. Solutions of the windows, shifted one
  // after another, satisfy everything: a cycle cannot cross windows that all constraints leave forward.
  // Answers `no` if a constraint points backwards or a window is unsatisfiable. Linear plus the distinct windows.
  Judgement proveSatisfiable(const OrderedSystem &system, const std::string &what);

  // Asks each query; all must be `yes`. `what(k)` names query k for messages.
  template <typename Name> Judgement proveAll(llvm::ArrayRef<Query> queries, const Name &what) {
    const std::vector<Answer> answers = askAll(queries);
    for (std::size_t k = 0; k < answers.size(); ++k)
      if (answers[k] != Answer::yes)
        return {answers[k], what(k) + (answers[k] == Answer::unknown ? ": " + reason_ : ": refuted")};
    return {Answer::yes, ""};
  }

  // The answer of each query, in order.
  std::vector<Answer> askAll(llvm::ArrayRef<Query> queries);

  // One core query (see DifferenceSolver::satisfiable).
  Answer core(std::uint32_t events, llvm::ArrayRef<Constraint> constraints, std::vector<std::uint32_t> &core);

  // See findHang.
  Answer hang(llvm::ArrayRef<ExclusiveUnit> units, ExclusiveHang &hang, std::string &reason);

  [[nodiscard]] Statistics statistics() const;
  [[nodiscard]] const Budget &budget() const { return budget_; }
  [[nodiscard]] const std::string &reason() const { return reason_; }

private:
  void solve(std::vector<Query> &pending, std::vector<Answer> &answers);

  Budget budget_;
  unsigned jobs_;
  Statistics statistics_; // of what the solvers below do not count
  std::string reason_;
  std::vector<std::unique_ptr<DifferenceSolver>> solvers_;
  std::unordered_map<std::string, Answer> known_; // decided questions, by their exact content
  std::size_t knownBytes_ = 0;
};

} // namespace plumbline::smt
