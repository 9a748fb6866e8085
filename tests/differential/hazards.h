// Decides by simulation whether slots are overwritten too early, read too early or written for nothing.
#pragma once

#include "tests/differential/instances.h"

#include <optional>

namespace plumbline::oracle {

enum class HazardKind : std::uint8_t {
  war, // a value may be overwritten while something still reads it
  raw, // a value may be read before it is written
  waw, // a value may be overwritten while it is being written, or is overwritten unread
};
const char *name(HazardKind kind);

struct Hazard {
  HazardKind kind = HazardKind::war;
  PoolId pool;
  int slot = 0;
  InstructionId first;  // the access that is not safe
  InstructionId second; // the write that it is not safe from; none for a value that nothing writes
  // WAW of a value that nothing reads: in truth something would, but never begins. Only where the Program hangs.
  bool pendingReader = false;
};

// A value that is written, never read and never overwritten.
struct Leak {
  PoolId pool;
  int slot = 0;
  InstructionId writer;
};

struct HazardReport {
  std::vector<Hazard> hazards;
  std::vector<Leak> leaks;
};

// Judges what can begin; Options::streams is taken as independent. An instruction that writes two values into one slot
// has no defined meaning here.
HazardReport findHazards(const Program &program, const model::Options &options);

// The least number of slots that hold the values of the pool for this order, or nothing if the Program hangs. By search
// for the largest set of values that no execution order keeps apart: for small Programs.
std::optional<int> leastSlots(const Program &program, const model::Options &options, PoolId pool);

// The same two for callers that ask several questions of one Program.
HazardReport findHazards(const Instances &instances);
std::optional<int> leastSlots(const Instances &instances, PoolId pool);

} // namespace plumbline::oracle
