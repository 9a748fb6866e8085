// The host backend: ranks are threads of this process.
#pragma once

#include "runtime/backend/backend.h"
#include "runtime/host/pipeline.h"

namespace plumbline::runtime {

// Program, data and options as the run wants them; `run.copies` copies of the pipeline share the batch, and their
// gradients are added up in order. Program, run and data must outlive the backend. Errors: what the Program or the
// options ask for that the host cannot do; memory; the stages' own messages.
Result<std::unique_ptr<Backend>> makeHostBackend(const Program &program, const model::Options &options,
                                                 const RunPlan &run, const DataSource &data,
                                                 const HostSettings &settings);

} // namespace plumbline::runtime
