// A Schedule: the order of work of every rank as frameworks print it, before slots, waits and communicators exist.
//
// Front ends and generators make Schedules; verifier/lower turns one into a Program. Communication is either complete
// (the input lists sends and receives) or absent (a compute-only order, for which lowering inserts it).
#pragma once

#include "verifier/ir/ids.h"
#include "verifier/ir/location.h"
#include "verifier/ir/opcode.h"
#include "verifier/ir/program.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

struct Action {
  Opcode opcode = Opcode::forward;
  StageId stage;            // for a send or receive: the stage on this rank
  MicrobatchId microbatch;  // none for unshard, reshard, reduce_gradients, optimizer_step
  RankId peer;              // of a send or receive where the input names it; none: placement decides
  GroupId group;            // fused launch or compute overlap; members stand together in their row
  std::int32_t buffer = -1; // of a Schedule that names buffers: the one that the action names
  std::int32_t step = -1;   // of a Schedule that names buffers: number of the list that the action stands in
  SourceLocation location;
};

// The buffers of one rank, as DeepSpeed's lists declare them.
struct RankBuffers {
  std::int32_t declared = 0; // num_pipe_buffers
  std::int32_t steps = 0;    // lists of the rank, empty ones included
  SourceLocation location;   // where that stands
};

struct Schedule {
  std::string name;
  Mode mode = Mode::training;
  Execution execution = Execution::streams;
  bool hasCommunication = false;
  bool waitsForGroups = false; // the framework's host waits for each launch before it goes on
  std::int32_t stagesPerReplica = 0;
  std::int32_t replicas = 1;
  std::int32_t microbatches = 0;
  std::int32_t groupCount = 0;
  std::vector<std::string> files;
  std::vector<std::vector<Action>> ranks; // per rank, in issue order
  // By rank where the actions name buffers, as in DeepSpeed's lists; else empty, and lowering gives every value a slot.
  std::vector<RankBuffers> buffers;
};

} // namespace plumbline
