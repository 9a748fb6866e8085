// One process that works through a batch microbatch by microbatch and stage by stage: what every schedule has to equal.
#pragma once

#include "runtime/backend/backend.h"

#include <memory>
#include <vector>

namespace plumbline::runtime::testing {

class Reference {
public:
  // Of a pipeline of `stages`; a failure of a stage fails the test.
  Reference(const StageMaker &maker, std::int32_t stages);
  ~Reference();

  // Forward and backward passes of samples [first, end) of a step, in this order, each gradient times `scale`. Returns
  // the sum of their losses.
  double run(const DataSource &data, std::int64_t step, std::int64_t first, std::int64_t end, float scale);
  // The optimizer, and gradients to zero.
  void update(float learningRate);

  [[nodiscard]] std::vector<float> gradients(std::int32_t position) const;
  // Weights before the last update, and now: for delayed updates.
  [[nodiscard]] std::vector<char> parameters(std::int32_t position) const;
  void setParameters(std::int32_t position, const std::vector<char> &bytes);

private:
  struct Stage;
  std::vector<std::unique_ptr<Stage>> stages_;
};

// The largest difference of two vectors, relative to the largest number in them.
double relativeDifference(const std::vector<float> &a, const std::vector<float> &b);

// The bytes as floats.
std::vector<float> asFloats(const std::vector<char> &bytes);

} // namespace plumbline::runtime::testing
