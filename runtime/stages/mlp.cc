#include "runtime/stages/layers.h"
#include "runtime/stages/parts.h"

namespace plumbline::stages {
namespace {

class Mlp final : public Part {
public:
  explicit Mlp(Plan &plan)
      : rows_(plan.dimensions().rows()), width_(plan.dimensions().width), inside_(4 * width_), norm_(plan),
        up_(plan, width_, inside_, usualDeviation(width_), Linear::Bias::yes),
        down_(plan, inside_, width_, residualDeviation(inside_, plan.dimensions()), Linear::Bias::yes),
        hidden_(plan.keep(rows_ * inside_)), active_(plan.keep(rows_ * inside_)),
        activeGradient_(plan.borrow(rows_ * inside_)) {}

  void forward(const Call &call, const void *in, void *out) const override {
    norm_.forward(call, in);
    up_.forward(call, norm_.output(call), call.at(hidden_));
    call.operations.gelu(call.stream, rows_ * inside_, call.at(hidden_), call.at(active_));
    call.operations.copy(call.stream, rows_ * width_, in, out);
    down_.forward(call, call.at(active_), out, Linear::Onto::residual);
  }

  void backwardInput(const Call &call, const void *in, const void *outGradient, void *inGradient) const override {
    void *const hidden = call.at(hidden_); // becomes its own gradient
    down_.backwardInput(call, outGradient, call.at(activeGradient_));
    call.operations.geluGradient(call.stream, rows_ * inside_, hidden, call.at(activeGradient_), hidden);
    up_.backwardInput(call, hidden, norm_.outputGradient(call));
    norm_.backwardInput(call, in, outGradient, inGradient);
  }

  void backwardWeight(const Call &call, const void *in, const void *outGradient) const override {
    down_.backwardWeight(call, call.at(active_), outGradient);
    up_.backwardWeight(call, norm_.output(call), call.at(hidden_));
    norm_.backwardWeight(call, in);
  }

private:
  std::int64_t rows_;
  std::int64_t width_;
  std::int64_t inside_;
  Norm norm_;
  Linear up_;
  Linear down_;
  Kept hidden_;
  Kept active_;
  Borrowed activeGradient_;
};

} // namespace

std::unique_ptr<Part> makeMlp(Plan &plan) { return std::make_unique<Mlp>(plan); }

} // namespace plumbline::stages
