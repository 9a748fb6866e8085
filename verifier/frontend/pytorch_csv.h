// PyTorch's pipeline schedules (torch.distributed.pipelining) as they are dumped to CSV, as a Schedule.
//
// One row per rank, in rank order; a cell is one action, an empty cell is idle time and says nothing:
//   2F5 2B5 2I5 2W5                     compute: forward, full backward, its input half, its weight half
//   2SEND_F5 2RECV_F5 2SEND_B5 2RECV_B5 messages; the stage is the one on this rank
//   2UNSHARD 2RESHARD 2REDUCE_GRAD      work on a stage's parameters
//   (2F5;1B3)OVERLAP_F_B                compute that runs as one overlapped call
// Source: _Action.from_str and _PipelineScheduleRuntime._load_csv in torch/distributed/pipelining/schedules.py.
#pragma once

#include "verifier/frontend/source.h"
#include "verifier/ir/diagnostic.h"
#include "verifier/ir/schedule.h"

#include <optional>

namespace plumbline::frontend {

// Reads the rows; `batches`, if given, says which messages are launched together: a row per rank, a cell per launch,
// its members joined by ';' in the order of the call. Members must stand next to each other in the rank's row.
// The Schedule's stages are those up to the highest named; its microbatches are as many as most stages forward.
// Errors: a malformed cell, a number out of bounds, a launch that does not fit the rows. Linear.
Result<Schedule> readPyTorchCsv(const Source &file, const std::optional<Source> &batches);

} // namespace plumbline::frontend
