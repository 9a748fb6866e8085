#include "runtime/stages/parts.h"

namespace plumbline::stages {
namespace {

class Embedding final : public Part {
public:
  explicit Embedding(Plan &plan)
      : sizes_(plan.dimensions()),
        vectors_(plan.normal(sizes_.vocabulary * sizes_.width, usualDeviation(sizes_.width))),
        positions_(plan.normal(sizes_.context * sizes_.width, usualDeviation(sizes_.width))) {}

  void forward(const Call &call, const void *in, void *out) const override {
    call.operations.embed(call.stream, sizes_.rows(), sizes_.context, sizes_.width, sizes_.vocabulary,
                          static_cast<const std::int32_t *>(in), call.at(vectors_), call.at(positions_), out);
  }

  void backwardInput(const Call & /*call*/, const void * /*in*/, const void * /*outGradient*/,
                     void * /*inGradient*/) const override {} // tokens have no gradient

  void backwardWeight(const Call &call, const void *in, const void *outGradient) const override {
    call.operations.embedGradient(call.stream, sizes_.rows(), sizes_.context, sizes_.width, sizes_.vocabulary,
                                  static_cast<const std::int32_t *>(in), outGradient, call.gradientOf(vectors_),
                                  call.gradientOf(positions_));
  }

private:
  Dimensions sizes_;
  Parameter vectors_;
  Parameter positions_;
};

} // namespace

std::unique_ptr<Part> makeEmbedding(Plan &plan) { return std::make_unique<Embedding>(plan); }

} // namespace plumbline::stages
