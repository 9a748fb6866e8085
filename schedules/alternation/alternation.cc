#include "schedules/alternation/alternation.h"

#include <algorithm>

namespace plumbline::schedules {

void alternate(std::int32_t warmUp, std::int32_t passes, llvm::function_ref<void(std::int32_t)> forward,
               llvm::function_ref<void(std::int32_t)> backward) {
  std::int32_t forwards = 0;
  while (forwards < std::min(warmUp, passes))
    forward(forwards++);
  for (std::int32_t backwards = 0; backwards < passes; ++backwards) {
    if (forwards < passes)
      forward(forwards++);
    backward(backwards);
  }
}

} // namespace plumbline::schedules
