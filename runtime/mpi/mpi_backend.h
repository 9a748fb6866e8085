// The MPI backend: a process for each rank, on one machine or on several.
#pragma once

#include "runtime/backend/backend.h"
#include "runtime/plan/plan.h"
#include "runtime/rank/rank_work.h"

namespace plumbline::runtime::mpi {

// Why ranks over MPI do not behave as that model says; empty: they do. Sends are synchronous, so there is no room;
// members of a launch move independently; connections are MPI's own.
std::string whyNotOverMpi(const model::Options &options);

// All processes call it, after MPI_Init_thread with at least MPI_THREAD_FUNNELED, and every call of the backend in the
// same order. A step that fails in one process fails there only: the others wait for it until the caller ends them
// (MPI_Abort). Errors: a wrong number of processes; memory; the stages' own messages.
Result<std::unique_ptr<Backend>> makeMpiBackend(const Program &program, const model::Options &options,
                                                const RunPlan &run, const DataSource &data, bool check);

} // namespace plumbline::runtime::mpi
