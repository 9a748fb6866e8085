#include "runtime/stages/parts.h"

#include <cmath>

namespace plumbline::stages {

double usualDeviation(std::int64_t in) { return 1 / std::sqrt(static_cast<double>(in)); }

double residualDeviation(std::int64_t in, const Dimensions &dimensions) {
  return usualDeviation(in) / std::sqrt(2 * static_cast<double>(dimensions.allLayers));
}

} // namespace plumbline::stages
