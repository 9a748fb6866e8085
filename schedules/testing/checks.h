// What the tests of every family ask.
#pragma once

#include "schedules/family/family.h"

#include <initializer_list>
#include <string>
#include <vector>

namespace plumbline::schedules::testing {

// "ranks=4 stages=8 microbatches=8 recompute=yes" to a request of the family; fails the test if it is refused.
Request requestOf(const Family &family, llvm::StringRef words);

// Why the family refuses those words; empty if it does not.
std::string refusalOf(const Family &family, llvm::StringRef words);

// A schedule as lines of cells, a line a rank: PyTorch's cells (0F0, 0B0, 0I0, 0W0, "(0F1;0B0)OVERLAP_F_B"), and
// 0R0 for a recompute, 0STASH0, 0PICK0, 0STEP0 for weights. Messages and the end of the step are left out.
std::vector<std::string> linesOf(const Schedule &schedule);

// The family's order is these lines, cell by cell.
void expectOrder(const Family &family, llvm::StringRef words, const std::vector<std::string> &lines);

// The family's order is that of the computing cells of tests/corpus/`file` (a PyTorch CSV).
void expectCorpusOrder(const Family &family, llvm::StringRef words, const std::string &file);

// For every size: each (stage, microbatch) has its forward and backward pass (or both halves) once, on the rank of the
// stage, in an order that can finish; and what is in flight, and the bubble, are the family's closed forms. Sizes that
// the family refuses are passed over. Ranks 1 to 6 and 8, microbatches from 1 to 4 times the ranks, if not said
// otherwise; `words` are added to the sizes ("stages=4r" is not known: give chunks).
struct Sweep {
  std::vector<std::int32_t> ranks = {1, 2, 3, 4, 5, 6, 8};
  std::vector<std::int32_t> chunks = {1}; // stages of a replica for each rank
  std::string words;
  std::int32_t mostMicrobatches = 4; // times the ranks
};
void expectSound(const Family &family, const Sweep &sweep);

} // namespace plumbline::schedules::testing
