// PL8xx: what a schedule may cost at most, as the user says: buffers (PL801) and idle time (PL802).
#pragma once

#include "verifier/check/bubble.h"
#include "verifier/model/times.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plumbline::check {

struct Context;

// Most slots of each pool of that name, on every rank; of all pools if the name is empty.
struct SlotLimit {
  std::string pool;
  std::int32_t most = 0;
};

// A share of a whole, exactly: parts / whole, where parts <= whole and 0 < whole <= 10^18.
struct Share {
  std::uint64_t parts = 0;
  std::uint64_t whole = 1;
  std::string text; // as the user wrote it
};

struct Limits {
  std::vector<SlotLimit> slots; // all of them hold: of several for one pool, the smallest counts
  std::optional<Share> bubble;
  model::Costs costs = model::unitCosts(); // at which the bubble is measured
};

// Compares the counts in `context.slots` (slot_count.h) and what is declared with the limits on slots, and the bubble
// with the limit on that, which also sets `bubble`. What is not known never passes: it is an open question in
// `context.undecided`, unless an error is found anyhow. Linear.
void checkBudget(const Context &context, const Limits &limits, std::optional<Bubble> &bubble);

} // namespace plumbline::check
