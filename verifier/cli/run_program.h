// `plumbline run` is a program of its own for each backend, so that checking a schedule loads no BLAS, MPI or CUDA.
#pragma once

namespace plumbline::cli {

// True for the arguments of `plumbline run ...`.
bool isRun(int argc, char **argv);

// Replaces this process by the program for the backend that the arguments name (host if none). It is looked for beside
// this program, then where Bazel builds it. Returns only if it cannot be started, after saying why, with an exit code.
int startRun(int argc, char **argv);

} // namespace plumbline::cli
