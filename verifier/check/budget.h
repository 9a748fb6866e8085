// PL8xx: what a schedule may cost at most, as the user says: buffers (PL801) and idle time (PL802).
#pragma once

#include "llvm/ADT/StringRef.h"

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
};

// The idle time of one step, if a forward pass takes 1, a full backward pass 2, each half of a split one 1, a
// recomputation 1 and everything else nothing, and if everything happens as early as the model allows. Members of an
// overlap take as long as one after another: they share their rank's device.
struct Bubble {
  std::uint64_t makespan = 0; // 0: there is none, since the program computes nothing or cannot finish
  std::uint64_t total = 0;    // ranks * makespan
  std::uint64_t idle = 0;     // of `total`; a rank without any computing is idle throughout
};

// Compares the counts in `context.slots` (slot_count.h) and what is declared with the limits on slots, and the bubble
// with the limit on that, which also sets `bubble`. What is not known never passes: it is an open question in
// `context.undecided`, unless an error is found anyhow. Linear.
void checkBudget(const Context &context, const Limits &limits, std::optional<Bubble> &bubble);

} // namespace plumbline::check
