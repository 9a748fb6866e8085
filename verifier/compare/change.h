// One thing that is not as it was before, and how it is judged.
#pragma once

#include "verifier/ir/ids.h"

#include "llvm/ADT/StringRef.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace plumbline::compare {

// In order of weight.
enum class Grade : std::uint8_t {
  worse,     // beyond what is allowed
  undecided, // may be worse: some number or answer is missing
  allowed,   // worse, and within the allowance
  better,
  neutral, // neither: what is shown and not judged
};
// "worse", "undecided", "allowed", "better", "changed"
llvm::StringRef name(Grade grade);

enum class Subject : std::uint8_t {
  input, // a version that cannot be read
  verdict,
  error,   // findings of one rule that are errors
  warning, // findings of one rule that are warnings
  declared_slots,
  least_slots,
  in_flight,
  bubble,
  makespan,
  mode,     // what is asked
  model,    // under which assumptions
  room,     // of a communicator of the input
  question, // left open by the solver, or findings too many to compare
};
// The enumerator's name.
llvm::StringRef name(Subject subject);

struct Change {
  Grade grade = Grade::neutral;
  Subject subject = Subject::verdict;
  RankId rank;               // none: of the whole program
  std::string pool;          // of slots; as the input names it
  std::string what;          // a few words, without the rank: "least slots of pool 'inputs'"
  std::string before, after; // values as words; "-": there is none, "?": not known
  std::size_t count = 1;     // of findings
  std::string message;       // one sentence
};

} // namespace plumbline::compare
