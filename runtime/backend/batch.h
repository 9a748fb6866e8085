// What goes into a rank's memory before a step, and comes out of it after.
#pragma once

#include "runtime/backend/backend.h"
#include "runtime/rank/rank_work.h"

namespace plumbline::runtime {

// Writes the samples of a step that the rank's first and last stages work on, in the given copy of the pipeline:
// microbatch m of replica r of copy c is sample (c * replicas + r) * microbatches + m. Into memory of the host; a rank
// on a device gets them from there.
void fillBatch(const RunPlan &run, RankWork &work, const DataSource &data, std::int64_t step, std::int32_t copy);

// The losses of a replica's microbatches added up in order, where the rank has its last stage.
double sumOfLosses(const RunPlan &run, const RankWork &work, std::int32_t replica);

} // namespace plumbline::runtime
