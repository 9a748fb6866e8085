// What one rank does in DualPipe and in DualPipeV, which differ only in where the two stages of a rank come from.
//
// Seen from a rank, work flows in two directions: inwards from the rank's own end of the pipeline to its middle, and
// outwards from the middle back to that end. In DualPipe the two flows are two replicas that run against each other,
// and the two halves of the ranks mirror one another; DualPipeV folds one model in the middle, and needs half the
// ranks.
#pragma once

#include "schedules/family/rows.h"

#include <cstdint>

namespace plumbline::schedules {

struct DualRank {
  StageId inward;                // the stage whose input comes from the outer end
  StageId outward;               // the stage whose input comes from the middle
  std::int32_t depth = 0;        // ranks between this one and the outer end
  std::int32_t depths = 0;       // ranks from the outer end to the middle
  std::int32_t microbatches = 0; // of each of the two stages; at least 2 * depths
  bool overlap = true;           // forward and backward passes side by side are one overlapped call
};

// Linear.
Row dualRow(const DualRank &rank);

} // namespace plumbline::schedules
