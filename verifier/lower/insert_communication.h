// Adds the sends and receives that a compute-only order leaves out.
#pragma once

#include "verifier/ir/schedule.h"
#include "verifier/lower/placement.h"

#include "llvm/ADT/ArrayRef.h"

namespace plumbline::lower {

// Returns the schedule with its messages, in the order in which PyTorch's lowering puts them: going round the ranks in
// order, each rank whose next cell has its input places that one cell; what the cell makes for a stage on another rank
// is sent right behind it and received at the end of what that rank has so far. So both ranks list the messages of a
// pair in one common order. An overlapped call is one cell and is followed by the sends of its members. Neighbouring
// stages on one rank exchange without a message. An inserted send has the location of the cell that makes the value, an
// inserted receive that of the cell that needs it. Turns that PyTorch spends on parameters count (parameter_turns.h).
//
// In an order in which every rank waits for another one, the lowest rank that waits is helped: what its cell needs and
// some cell of another rank makes is received right before it. So every action is placed and the fault shows in the
// result. `placement` is by stage; a message to a stage on no rank is left out.
// O(n log ranks). Source: corpus/pytorch (how _comms follows from _compute) and _add_send_recv in
// torch/distributed/pipelining/schedules.py.
Schedule insertCommunication(const Schedule &computeOnly, llvm::ArrayRef<RankId> placement);

} // namespace plumbline::lower
