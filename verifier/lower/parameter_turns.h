// How PyTorch's cells about parameters shift the places of messages.
//
// PyTorch first adds UNSHARD, RESHARD and REDUCE_GRAD cells to a compute-only order and then lets the ranks take turns,
// a cell each, to place their cells and messages. Plumbline does not invent those cells, but to put the messages where
// PyTorch puts them it must know how many turns they take.
// Source: _add_unshard_reshard and _add_reduce_grad in torch/distributed/pipelining/schedules.py; corpus/pytorch.
#pragma once

#include "verifier/ir/schedule.h"

#include <cstdint>
#include <vector>

namespace plumbline::lower {

// Index of the first action behind the cell that begins at `begin`: one action, or all members of an overlapped call.
std::size_t cellEnd(const std::vector<Action> &row, std::size_t begin);

// For each action that begins a cell, the number of PyTorch's cells about parameters right before it; else 0. All 0 for
// a row that has such cells itself. `microbatches` is how many a stage's gradients are summed over. Linear.
std::vector<std::uint32_t> parameterTurns(const std::vector<Action> &row, std::int32_t microbatches);

} // namespace plumbline::lower
