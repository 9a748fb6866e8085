// Whether a Program may be run: only what was verified, under what the backend will do.
#pragma once

#include "verifier/certificate/certificate.h"
#include "verifier/ir/program.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace plumbline::runtime {

// A verdict under `certified` holds for everything that happens under `behaviour`: the switches are the same, but for
// streams (what is right whichever way a device orders its streams is right if they are independent) and for comms
// (which communicators there are is part of the Program, and so of its hash).
bool covers(const model::Options &certified, const model::Options &behaviour);

// Empty if for each of the behaviours some certificate says that this very Program is verified; else why it must not
// run, and what to do.
std::string whyNot(const Program &program, llvm::ArrayRef<certificate::Certificate> certificates,
                   llvm::ArrayRef<model::Options> behaviours);

} // namespace plumbline::runtime
