// Whether a Program may be run: only what was verified, under what the backend will do.
#pragma once

#include "verifier/certificate/certificate.h"
#include "verifier/ir/program.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace plumbline::runtime {

// A verdict under `certified` holds for everything that happens under `behaviour`: the switches are the same, but for
// streams (what is right whichever way a device orders its streams is right if they are independent) and for comms
// (which communicators there are is part of the Program, and so of its hash).
bool covers(const model::Options &certified, const model::Options &behaviour);

// What a backend may do whose sends end when their receive begins, or earlier, as it likes (NCCL, which buffers as much
// as it chooses): no program may rely on room, and none on its absence. With room for everything all executions are
// covered in which some sends end early; without any, all hangs are.
std::vector<model::Options> withAndWithoutRoom(const model::Options &options);

// Empty if for each of the behaviours some certificate says that this very Program is verified; else why it must not
// run, and what to do.
std::string whyNot(const Program &program, llvm::ArrayRef<certificate::Certificate> certificates,
                   llvm::ArrayRef<model::Options> behaviours);

} // namespace plumbline::runtime
