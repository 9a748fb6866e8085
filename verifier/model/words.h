// The model's switches as the words of the command line, of reports and of certificates.
#pragma once

#include "verifier/model/options.h"

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace plumbline::model {

llvm::StringRef name(Kind kind);         // blocking, nccl, mpi
llvm::StringRef name(Comms comms);       // given, single, pair, directed
llvm::StringRef name(Grouping grouping); // given, none, atomic
llvm::StringRef name(Wait wait);         // use, group
llvm::StringRef name(Connect connect);   // ready, first-use
llvm::StringRef name(Streams streams);   // independent, any

// The value of that name, or nothing: fromName<Kind>("nccl").
template <typename Switch> std::optional<Switch> fromName(llvm::StringRef text);

// All switches in one line: "model nccl, comms single, room 0, group given, wait use, ...".
std::string describe(const Options &options);

bool operator==(const Options &a, const Options &b);

} // namespace plumbline::model
