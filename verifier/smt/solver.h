// Z3 behind one small class: satisfiability, unsatisfiable cores and entailment of difference constraints.
#pragma once

#include "verifier/smt/constraint.h"

#include "llvm/ADT/ArrayRef.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace plumbline::smt {

enum class Answer : std::uint8_t { yes, no, unknown };

// What a run may spend. A query that would start after the deadline, or runs into it, is answered `unknown`.
struct Budget {
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  unsigned seed = 1;
};

struct Statistics {
  std::uint64_t queries = 0; // questions put to Z3
  std::uint64_t reused = 0;  // questions equal to one that Z3 had answered
  double seconds = 0;        // time in Z3, summed over threads
};

// "4.8.12.0" or what the linked library says.
std::string z3Version();

// One Z3 context; used by one thread at a time. No exceptions leave it: a Z3 error is the answer `unknown`.
class DifferenceSolver {
public:
  explicit DifferenceSolver(const Budget &budget);
  ~DifferenceSolver();
  DifferenceSolver(const DifferenceSolver &) = delete;
  DifferenceSolver &operator=(const DifferenceSolver &) = delete;

  // Is there an assignment of `events` times that satisfies all constraints? On `no`, and if `core` is given, it
  // receives indices of constraints that are unsatisfiable together (not necessarily the fewest).
  Answer satisfiable(std::uint32_t events, llvm::ArrayRef<Constraint> constraints,
                     std::vector<std::uint32_t> *core = nullptr);

  // Does every assignment that satisfies `constraints` satisfy `claim`?
  Answer entails(std::uint32_t events, llvm::ArrayRef<Constraint> constraints, Constraint claim);

  void setBudget(const Budget &budget) { budget_ = budget; }
  [[nodiscard]] const Statistics &statistics() const { return statistics_; }
  // Why the last answer was unknown, e.g. "timeout".
  [[nodiscard]] const std::string &reason() const { return reason_; }

private:
  struct State;
  Answer ask(std::uint32_t events, llvm::ArrayRef<Constraint> constraints, const Constraint *negated,
             std::vector<std::uint32_t> *core);

  std::unique_ptr<State> state_;
  Budget budget_;
  Statistics statistics_;
  std::string reason_;
};

} // namespace plumbline::smt
