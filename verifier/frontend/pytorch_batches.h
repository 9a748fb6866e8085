// Which messages of a PyTorch schedule are launched together.
#pragma once

#include "verifier/frontend/source.h"
#include "verifier/ir/diagnostic.h"
#include "verifier/ir/schedule.h"

#include <optional>

namespace plumbline::frontend::pytorch {

// Puts the launches of `batches` into the schedule: the members of each become a group, in the order of the call, at
// the place where they stand in their rank's row. A repeated message is taken in the order of the row. Errors, at the
// place in `batches`: a malformed or non-message member, one that the row does not have (any more), and members that do
// not stand next to each other; fewer lines than ranks. Linear.
std::optional<Diagnostic> applyBatches(const Source &batches, Schedule &schedule);

} // namespace plumbline::frontend::pytorch
