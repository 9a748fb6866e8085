// Where the bars of a trace stand, so that each can be seen and none is cut by another.
#pragma once

#include "verifier/check/timeline.h"
#include "verifier/ir/program.h"

#include <cstdint>
#include <vector>

namespace plumbline::report {

// Times are microseconds; one unit of the timeline's costs is 1000 of them. A bar keeps its times but for this:
//  - it is at least `shortest` long, and what follows on its lane begins no earlier than its end;
//  - members of a launch lie within each other, each a little shorter at both ends;
//  - a receive ends after its send begins, so that an arrow can go forward from the one to the other;
//  - what never ends is a bar up to one unit behind everything that does.
struct TraceLayout {
  static constexpr std::int64_t unit = 1000, shortest = 10, step = 1;

  std::vector<std::int64_t> begin, end;          // per instruction; -1: it never begins
  std::vector<std::vector<InstructionId>> lanes; // of those that begin, per lane of the timeline: by begin, outer first
};

// A time of the timeline, rounded down to microseconds.
std::int64_t inMicroseconds(std::int64_t ticks, const model::Costs &costs);

// O(n log n). The timeline must be the Program's.
TraceLayout layOut(const Program &program, const check::Timeline &timeline);

} // namespace plumbline::report
