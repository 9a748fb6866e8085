// The shortest cycle of waits in a knot: what a person has to look at to understand a hang.
#pragma once

#include "verifier/model/event_graph.h"

#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace plumbline::model {

// Moving along one queue (and within one launch) costs nothing; every other edge is one wait.
bool isWaitStep(Reason reason);

// A cycle among the events of `knot` (one strongly connected component) with the fewest waits, as edges in order.
// Never empty. O(waits x edges of the knot) at worst; stops early once nothing shorter is possible. After `effort`
// edge visits the shortest cycle found so far is returned, and *exact is set to false.
std::vector<Edge> shortestCycle(const EventGraph &graph, llvm::ArrayRef<Event> knot, std::uint64_t effort, bool *exact);

} // namespace plumbline::model
