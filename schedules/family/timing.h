// How a compute-only order runs if every action takes a fixed time and messages take none: the setting in which papers
// state bubbles and memory. It ignores communication order and buffers; verifier/check judges those.
#pragma once

#include "verifier/ir/schedule.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace plumbline::schedules {

// Time of one action, in any unit.
struct Costs {
  std::int64_t forward = 1;
  std::int64_t backward = 2;
  std::int64_t backwardInput = 1;
  std::int64_t backwardWeight = 1;
  std::int64_t recompute = 1;
  std::int64_t message = 0; // between two ranks
};

struct Timing {
  std::int64_t makespan = 0;
  std::vector<std::int64_t> busy;  // by rank: time spent on actions
  std::vector<std::int64_t> first; // by rank: begin of its first action that takes time
  std::vector<std::int64_t> last;  // by rank: end of its last action

  // Idle time of the rank between its first and its last action.
  [[nodiscard]] std::int64_t idle(std::size_t rank) const { return last[rank] - first[rank] - busy[rank]; }
  // Of the rank that idles most; what papers call the bubble. 0 without ranks.
  [[nodiscard]] std::int64_t bubble() const;
};

// Every rank runs its row in order, each action as soon as its input is there. Members of an overlapped call begin
// together, when all their inputs are there, and take as long as all of them one after another. Nothing if some action
// never gets its input. Actions about weights take no time. Linear.
std::optional<Timing> simulate(const Schedule &computeOnly, const Costs &costs);

// By rank: most (stage, microbatch) pairs at one time whose forward pass began and whose backward pass (of a split one
// the weight half) did not end, in the order of the row. Linear.
std::vector<std::int64_t> mostInFlight(const Schedule &computeOnly);

} // namespace plumbline::schedules
