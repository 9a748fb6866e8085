// The share of time in which ranks compute nothing.
#pragma once

#include "verifier/model/times.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace plumbline::check {

// The idle time of one step at given costs, if everything happens as early as the model allows (model::Times). Members
// of an overlap take as long as one after another: they share their rank's device. Times are in ticks of the costs.
struct Bubble {
  std::uint64_t makespan = 0;      // 0: there is none, since the program computes nothing or cannot finish
  std::uint64_t total = 0;         // ranks * makespan
  std::uint64_t idle = 0;          // of `total`; a rank without any computing is idle throughout
  std::vector<std::uint64_t> busy; // by rank
  std::int64_t ticksPerUnit = 1;
};

// Of a program that finishes. Nothing if the numbers do not fit. Linear.
std::optional<Bubble> bubbleOf(const Program &program, const model::Times &times, const model::Costs &costs);

} // namespace plumbline::check
