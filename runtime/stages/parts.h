// The parts that the stages of a model are chains of. A part is made into a plan, in which it takes room for its
// parameters, for what it keeps between passes and for what it borrows during one; it holds nothing but offsets.
#pragma once

#include "runtime/stages/plan.h"

#include <memory>

namespace plumbline::stages {

class Part {
public:
  Part() = default;
  Part(const Part &) = delete;
  Part &operator=(const Part &) = delete;
  virtual ~Part() = default;

  // Writes out and what the backward passes need.
  virtual void forward(const Call &call, const void *in, void *out) const = 0;
  // Writes inGradient, if that is not null, and keeps what backwardWeight needs.
  virtual void backwardInput(const Call &call, const void *in, const void *outGradient, void *inGradient) const = 0;
  // Adds to the gradients.
  virtual void backwardWeight(const Call &call, const void *in, const void *outGradient) const = 0;
};

// From batch x context tokens (i32) to as many rows of `width`: the token's vector plus the position's.
std::unique_ptr<Part> makeEmbedding(Plan &plan);
// x + W2 gelu(W1 norm(x)), four times as wide inside.
std::unique_ptr<Part> makeMlp(Plan &plan);
// x + W attention(norm(x)): causal, over several heads.
std::unique_ptr<Part> makeAttention(Plan &plan);
// From rows to the loss (one f32): norm, product with the vocabulary, mean cross-entropy against call.labels. Its
// backward pass starts from call.scale and not from outGradient.
std::unique_ptr<Part> makeHead(Plan &plan);

// Deviation of the first weights of a layer that reads `in` numbers: keeps the size of what passes through.
double usualDeviation(std::int64_t in);
// The same where the layer's output is added to the residual stream, which sums two a layer (Radford et al. 2019).
double residualDeviation(std::int64_t in, const Dimensions &dimensions);

} // namespace plumbline::stages
