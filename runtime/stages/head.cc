#include "runtime/stages/layers.h"
#include "runtime/stages/parts.h"

namespace plumbline::stages {
namespace {

// Small, so that training starts from about the same probability for every token.
constexpr double headDeviation = 0.02;

class Head final : public Part {
public:
  explicit Head(Plan &plan)
      : rows_(plan.dimensions().rows()), vocabulary_(plan.dimensions().vocabulary), norm_(plan),
        leave_(plan, plan.dimensions().width, vocabulary_, headDeviation, Linear::Bias::no),
        logits_(plan.keep(rows_ * vocabulary_)), logarithms_(plan.keepFloats(rows_)),
        losses_(plan.borrowFloats(rows_)) {}

  void forward(const Call &call, const void *in, void *out) const override {
    norm_.forward(call, in);
    leave_.forward(call, norm_.output(call), call.at(logits_));
    call.operations.crossEntropy(call.stream, rows_, vocabulary_, call.at(logits_), call.labels,
                                 call.floatsAt(logarithms_), call.floatsAt(losses_), static_cast<float *>(out));
  }

  void backwardInput(const Call &call, const void *in, const void * /*outGradient*/, void *inGradient) const override {
    void *const logits = call.at(logits_); // becomes its own gradient
    call.operations.crossEntropyGradient(call.stream, rows_, vocabulary_, call.labels, call.floatsAt(logarithms_),
                                         call.scale, logits);
    leave_.backwardInput(call, logits, norm_.outputGradient(call));
    norm_.backwardInput(call, in, nullptr, inGradient);
  }

  void backwardWeight(const Call &call, const void *in, const void * /*outGradient*/) const override {
    leave_.backwardWeight(call, norm_.output(call), call.at(logits_));
    norm_.backwardWeight(call, in);
  }

private:
  std::int64_t rows_;
  std::int64_t vocabulary_;
  Norm norm_;
  Linear leave_;
  Kept logits_;
  Kept logarithms_;
  Borrowed losses_;
};

} // namespace

std::unique_ptr<Part> makeHead(Plan &plan) { return std::make_unique<Head>(plan); }

} // namespace plumbline::stages
