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
  StageId stage;           // for a send or receive: the stage on this rank
  MicrobatchId microbatch; // none for unshard, reshard, reduce_gradients, optimizer_step
  RankId peer;             // of a send or receive where the input names it; none: placement decides
  GroupId group;           // fused launch or compute overlap; members stand together in their row
  SourceLocation location;
};

struct Schedule {
  std::string name;
  Mode mode = Mode::training;
  bool hasCommunication = false;
  bool waitsForGroups = false; // the framework's host waits for each launch before it goes on
  std::int32_t stagesPerReplica = 0;
  std::int32_t replicas = 1;
  std::int32_t microbatches = 0;
  std::int32_t groupCount = 0;
  std::vector<std::string> files;
  std::vector<std::vector<Action>> ranks; // per rank, in issue order
};

} // namespace plumbline
