// The rules: stable identifiers, what each means, why it matters, what to do (DESIGN section 5).
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace plumbline::check {

enum class RuleId : std::uint16_t {
  missing_forward = 101,
  missing_backward = 102,
  duplicate = 103,
  data_flow_order = 104,
  microbatch_range = 105,
  missing_message = 106,
  optimizer_order = 107,
  mixed_backward = 108,
  placement = 109,
  unmatched_send = 201,
  unmatched_receive = 202,
  crossed_messages = 203,
  size_mismatch = 204,
  collective_mismatch = 205,
  not_a_member = 206,
  wait_cycle = 301,
  no_room = 302,
  first_use = 303,
  any_stream = 304,
  overwritten = 401,
  read_before_written = 402,
  written_twice = 403,
  leak = 404,
  too_few_slots = 501,
  too_many_slots = 502,
  slot_out_of_range = 503,
  slots_over_limit = 801,
  bubble_over_limit = 802,
};

enum class Severity : std::uint8_t { note, warning, error };

struct Rule {
  RuleId id;
  const char *title;     // a few words
  const char *meaning;   // what is asked, and what goes wrong at run time
  const char *remedy;    // what to do
  const char *failing;   // a small input that breaks the rule, as a PyTorch CSV, DeepSpeed lists or `.pir`
  const char *passing;   // the nearest one that does not
  const char *arguments; // of `plumbline verify` for both examples
  Severity severity = Severity::error; // of its findings; some options make errors of warnings
};

// All rules in order of their number.
llvm::ArrayRef<Rule> rules();
// The rule of that number, e.g. 401; null if there is none.
const Rule *findRule(unsigned number);
// The same by name: "PL401", "pl401" or "401".
const Rule *findRuleNamed(llvm::StringRef name);

} // namespace plumbline::check
