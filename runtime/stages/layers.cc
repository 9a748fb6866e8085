#include "runtime/stages/layers.h"

namespace plumbline::stages {

using operations::Product;

Linear::Linear(Plan &plan, std::int64_t in, std::int64_t out, double deviation, Bias bias)
    : rows_(plan.dimensions().rows()), in_(in), out_(out), weight_(plan.normal(in * out, deviation)) {
  if (bias == Bias::yes)
    bias_ = plan.constant(out, 0);
}

void Linear::forward(const Call &call, const void *x, void *y, Onto onto) const {
  Product product{.rows = rows_, .columns = out_, .inner = in_};
  product.a = {.data = x, .steps = {.row = in_}};
  product.b = {.data = call.at(weight_), .steps = {.row = out_}};
  product.c = y;
  product.steps.row = out_;
  product.beta = onto == Onto::residual ? 1 : 0;
  call.operations.multiply(call.stream, product);
  if (bias_.count > 0)
    call.operations.addBias(call.stream, rows_, out_, call.at(bias_), y);
}

void Linear::backwardInput(const Call &call, const void *dy, void *dx) const {
  Product product{.rows = rows_, .columns = in_, .inner = out_};
  product.a = {.data = dy, .steps = {.row = out_}};
  product.b = {.data = call.at(weight_), .steps = {.row = out_}, .transposed = true};
  product.c = dx;
  product.steps.row = in_;
  call.operations.multiply(call.stream, product);
}

void Linear::backwardWeight(const Call &call, const void *x, const void *dy) const {
  Product product{.rows = in_, .columns = out_, .inner = rows_};
  product.a = {.data = x, .steps = {.row = in_}, .transposed = true};
  product.b = {.data = dy, .steps = {.row = out_}};
  product.c = call.gradientOf(weight_);
  product.steps.row = out_;
  product.beta = 1;
  call.operations.multiplyIntoGradient(call.stream, product);
  if (bias_.count > 0)
    call.operations.addBiasGradient(call.stream, rows_, out_, dy, call.gradientOf(bias_));
}

Norm::Norm(Plan &plan)
    : rows_(plan.dimensions().rows()), width_(plan.dimensions().width), weight_(plan.constant(width_, 1)),
      bias_(plan.constant(width_, 0)), mean_(plan.keepFloats(rows_)), reciprocal_(plan.keepFloats(rows_)),
      output_(plan.keep(rows_ * width_)), outputGradient_(plan.keep(rows_ * width_)) {}

void Norm::forward(const Call &call, const void *x) const {
  call.operations.layerNorm(call.stream, rows_, width_, x, call.at(weight_), call.at(bias_), output(call),
                            call.floatsAt(mean_), call.floatsAt(reciprocal_));
}

void Norm::backwardInput(const Call &call, const void *x, const void *residual, void *dx) const {
  if (dx)
    call.operations.layerNormInputGradient(call.stream, rows_, width_, x, call.at(weight_), outputGradient(call),
                                           call.floatsAt(mean_), call.floatsAt(reciprocal_), residual, dx);
}

void Norm::backwardWeight(const Call &call, const void *x) const {
  call.operations.layerNormWeightGradient(call.stream, rows_, width_, x, outputGradient(call), call.floatsAt(mean_),
                                          call.floatsAt(reciprocal_), call.gradientOf(weight_), call.gradientOf(bias_));
}

} // namespace plumbline::stages
