#include "runtime/stages/calls.h"

#include <algorithm>
#include <string>

namespace plumbline::stages {

int fail(char *message, std::size_t size, llvm::StringRef text) {
  if (message && size > 0)
    *std::copy_n(text.begin(), std::min(text.size(), size - 1), message) = 0;
  return 1;
}

int requireStage(const char *name, const plumbline_stage_request &request, char *message, std::size_t size) {
  if (request.stage >= 0 && request.stage < request.stages)
    return 0;
  return fail(message, size,
              std::string(name) + ": there is no stage " + std::to_string(request.stage) + " of " +
                  std::to_string(request.stages));
}

int requireBuffers(const char *stage, std::initializer_list<Needed> buffers, char *message, std::size_t size) {
  for (const Needed &needed : buffers) {
    const std::uint64_t there = needed.buffer.data ? needed.buffer.count : 0;
    if (there < needed.extent.count)
      return fail(message, size,
                  std::string(stage) + " needs " + std::to_string(needed.extent.count) + " elements of " + needed.name +
                      "; got " + std::to_string(there));
  }
  return 0;
}

} // namespace plumbline::stages
