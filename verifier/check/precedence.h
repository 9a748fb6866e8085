// "Is x done before y begins, in every execution?" for instructions of one rank, with the proof that Z3 is given.
#pragma once

#include "verifier/check/context.h"
#include "verifier/model/reach.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace plumbline::check {

// Chains of constraints that show claims of precedence. Equal chains are one question: the events of a chain
// e0 -> e1 -> ... -> ek are renumbered, so a chain is its list of strict and plain steps, and the claim is about its
// ends. Z3 is asked whether the steps entail the claim. A long chain is cut into pieces: each piece is a claim of its
// own, and what the pieces claim are the steps of the whole, so no question has more than a few events.
class ChainClaims {
public:
  void add(llvm::ArrayRef<bool> strictSteps, bool strictClaim);
  // Asks all that were added and forgets them.
  smt::Judgement prove(smt::Session &session, const std::string &what);
  [[nodiscard]] std::uint64_t total() const { return total_; }

private:
  static constexpr std::size_t longest = 12; // steps of one question
  void insert(llvm::ArrayRef<bool> strictSteps, bool strictClaim);

  std::set<std::string> chains_; // claim, then steps; 's' strict, '-' plain
  std::uint64_t total_ = 0;
};

class RankPrecedence {
public:
  // One pass over the event graph for each lane of the rank that holds a slot access, unless there is only one.
  RankPrecedence(const Context &context, RankId rank);

  // In every execution, is `access` done (its slot no longer touched) before `later` begins? Both must begin in some
  // execution. If so, and if `claims` is given, the constraints that show it are added there.
  bool doneBefore(InstructionId access, InstructionId later, ChainClaims *claims) const;

  // A number for `access` such that, for instructions whose lane is the same, done-before is order of numbers.
  [[nodiscard]] std::uint32_t laneOf(InstructionId i) const { return unit(i).lane; }
  [[nodiscard]] std::uint32_t positionOf(InstructionId i) const { return unit(i).positionInLane; }
  // How many units at the head of `lane` are done before `later` begins, in every execution.
  [[nodiscard]] std::uint32_t doneInLane(std::uint32_t lane, InstructionId later) const;
  // True if a member of a launch may be done, and known to be done, before its launch has ended.
  [[nodiscard]] bool needsMemberSearch() const { return memberSearch_; }

private:
  [[nodiscard]] const model::Unit &unit(InstructionId i) const {
    return context_.graph.units.units[context_.graph.unitOf(i)];
  }
  [[nodiscard]] const model::LaneReach *reach(std::uint32_t lane) const;

  const Context &context_;
  bool memberSearch_;
  std::vector<std::pair<std::uint32_t, std::unique_ptr<model::LaneReach>>> reaches_;
};

} // namespace plumbline::check
