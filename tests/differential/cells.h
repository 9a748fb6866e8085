// Writes Programs for tests the short way, in the cells of PyTorch's schedule files.
#pragma once

#include "verifier/ir/program.h"

#include <string>
#include <vector>

namespace plumbline::oracle {

enum class CellComms { single, pair, directed };

// One string per rank: cells such as `0F1` or `1SEND_B0` (F, B, I, W, SEND_F, RECV_F, SEND_B, RECV_B) separated by
// commas; cells joined by `;` form a group. A stage lies on the rank that names it. What computes waits for the
// receive that feeds it, a send for what it sends. No slots.
Program programOfCells(const std::vector<std::string> &rows, CellComms comms = CellComms::single);

} // namespace plumbline::oracle
