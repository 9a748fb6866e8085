// How many messages a channel may hold before its sender waits, in two versions.
#pragma once

#include "verifier/report/report.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline::compare {

// A communicator that messages of the new version use, and that gives them another room than they had.
struct RoomFigures {
  std::string communicator;        // as the input names it
  std::int32_t base = 0, next = 0; // messages
};

// By name. The room of a communicator is its own if it has one, else that of the model; none where the model counts
// bytes or takes groups as one. Before, a message of the same two ranks and opcode had that of the communicator of this
// name; else, if such messages used others, the least of theirs; else that of the name, or of the model. If messages
// disagree, the one whose room grows most counts. Both reports are valid. O(n log n).
std::vector<RoomFigures> roomsThatDiffer(const report::Report &base, const report::Report &next);

} // namespace plumbline::compare
