// DualPipe's bidirectional schedules, as tools that record DualPipe's step() write them, as a Schedule.
//
//   {"schedule": "dualpipe", "ranks": N, "chunks": M, "chunks_per_dir": M/2, "rank_programs": [[op, ...], ...]}
//   op: {"op": "F"|"B"|"I"|"W", "dir": d, "mb": k}
//       {"op": "FB", "f": {"dir": d, "mb": k}, "b": {"dir": e, "mb": j}}      one overlapped call
//       {"op": "COMMIT", "ops": [{"op": "SEND_F"|"RECV_F"|"SEND_B"|"RECV_B", "dir": d, "mb": k, "peer": r}, ...]}
//
// Each direction is a replica of N stages: direction 0 has stage r on rank r, direction 1 has its stage N-1-r there.
// A COMMIT is one launch, and the rank waits for it. Keys may come in any order; unknown keys are passed over.
// Source: dualpipe/dualpipe.py of deepseek-ai/DualPipe (_commit_and_wait_comm, _forward_backward_chunk).
#pragma once

#include "verifier/frontend/source.h"
#include "verifier/ir/diagnostic.h"
#include "verifier/ir/schedule.h"

namespace plumbline::frontend {

// Errors: malformed JSON, an operation that is none of the above or lacks a key, a number out of bounds, a number of
// ranks that differs from the number of programs, numbers of chunks that do not agree. Linear.
Result<Schedule> readDualPipeJson(const Source &file);

} // namespace plumbline::frontend
