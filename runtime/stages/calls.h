// What every function of a stage does with the C interface: reports faults, and looks at the buffers that it is given.
#pragma once

#include "runtime/stage.h"

#include "llvm/ADT/StringRef.h"

#include <cstddef>
#include <initializer_list>

namespace plumbline::stages {

// Writes the message, cut to size, and gives the number that says "failed".
int fail(char *message, std::size_t size, llvm::StringRef text);

// Fails if there is no such stage.
int requireStage(const char *name, const plumbline_stage_request &request, char *message, std::size_t size);

// A buffer that a call needs.
struct Needed {
  const char *name = nullptr;
  plumbline_buffer buffer;
  plumbline_extent extent;
};

// Fails if one of the buffers is missing or smaller than its extent. A wrong size here is a fault of the caller, and
// would else be a stray write.
int requireBuffers(const char *stage, std::initializer_list<Needed> buffers, char *message, std::size_t size);

} // namespace plumbline::stages
