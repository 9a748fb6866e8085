// The passes of makePlan, in the order in which they run.
#pragma once

#include "runtime/plan/plan.h"

namespace plumbline::runtime {

// steps.cc: what begins together, by --group and --plan; with --connect first-use also the host steps.
void formSteps(Plan &plan);
// lanes.cc: the queues, and what each step waits for on its own rank.
void formLanes(Plan &plan);
void addPrerequisites(Plan &plan);
// channels.cc: messages and collectives.
void openChannels(Plan &plan);
void gatherCollectives(Plan &plan, std::string &wrong);
void tieLaunches(Plan &plan);

} // namespace plumbline::runtime
