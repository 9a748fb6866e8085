// The two layers with weights that all parts of a model are made of.
#pragma once

#include "runtime/stages/plan.h"

namespace plumbline::stages {

// y = x W + b, row by row. W is in x out.
class Linear {
public:
  enum class Bias : std::uint8_t { no, yes };
  enum class Onto : std::uint8_t { nothing, residual }; // what y holds before

  Linear(Plan &plan, std::int64_t in, std::int64_t out, double deviation, Bias bias);

  void forward(const Call &call, const void *x, void *y, Onto onto = Onto::nothing) const;
  void backwardInput(const Call &call, const void *dy, void *dx) const;
  void backwardWeight(const Call &call, const void *x, const void *dy) const;

private:
  std::int64_t rows_;
  std::int64_t in_;
  std::int64_t out_;
  Parameter weight_;
  Parameter bias_;
};

// Layer norm. It keeps its output and, from backwardInput to backwardWeight, the gradient of that.
class Norm {
public:
  explicit Norm(Plan &plan);

  [[nodiscard]] void *output(const Call &call) const { return call.at(output_); }
  [[nodiscard]] void *outputGradient(const Call &call) const { return call.at(outputGradient_); }

  void forward(const Call &call, const void *x) const;
  // dx = the gradient through the norm + residual (none if null). Nothing if dx is null.
  void backwardInput(const Call &call, const void *x, const void *residual, void *dx) const;
  void backwardWeight(const Call &call, const void *x) const;

private:
  std::int64_t rows_;
  std::int64_t width_;
  Parameter weight_;
  Parameter bias_;
  Kept mean_;
  Kept reciprocal_;
  Kept output_;
  Kept outputGradient_;
};

} // namespace plumbline::stages
