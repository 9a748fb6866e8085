// Verification of one Program: all properties, one verdict.
#pragma once

#include "verifier/check/budget.h"
#include "verifier/check/finding.h"
#include "verifier/model/options.h"
#include "verifier/smt/session.h"

#include <string>
#include <vector>

namespace plumbline::check {

enum class Verdict : std::uint8_t { verified, rejected, undecided };

struct VerifyOptions {
  model::Options model;
  bool strict = false;              // what only fails at the first use of connections is an error, not a warning
  std::size_t findingsPerRule = 20; // kept of each rule; the rest is counted
  Limits limits;                    // none: PL8xx is not asked
};

struct Verification {
  Verdict verdict = Verdict::undecided;
  std::vector<Finding>
      findings; // errors first; then by family, as an incomplete program causes the rest; then by place
  std::vector<Findings::Dropped> dropped;
  std::vector<SlotCount> slots;
  std::vector<std::string> undecided; // questions left without an answer, and why
  bool finishes = false;              // every instruction can end, under the model
  std::optional<Bubble> bubble;       // if there is a limit on it
  // Left out because another finding gives their cause: reads of missing values, and leaks of microbatches that do not
  // exist.
  std::size_t explainedReads = 0, explainedLeaks = 0;
  smt::Statistics solver;
};

// The Program must satisfy validate(), and its communicators be those that the model asks for
// (lower::setCommunicators). `verified` is answered only if every property was decided and none has an error.
// A session may be used for many Programs, one after another: Z3's contexts and the answers to equal questions stay.
Verification verify(const Program &program, const VerifyOptions &options, smt::Session &session);

} // namespace plumbline::check
