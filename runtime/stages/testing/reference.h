// The models once more, in double and with plain loops, written from their description: what the stages' gradients are
// held against.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plumbline::stages::testing {

struct ReferenceSizes {
  std::size_t width = 0;
  std::size_t layers = 0; // of all stages together
  std::size_t heads = 0;  // 0: an mlp
  std::size_t context = 0;
  std::size_t batch = 0;
  std::size_t vocabulary = 0;
};

using Values = std::vector<double>;

// The mean loss. `tensors` are the parameters in the order of the stages: embeddings of tokens and positions; of each
// layer norm, entering and leaving products of attention if there is any, then the same of the MLP; norm and product of
// the head. Of norms and products the weight, then the bias; the head's product has none.
double referenceLoss(const ReferenceSizes &sizes, const std::vector<Values> &tensors,
                     llvm::ArrayRef<std::int32_t> tokens, llvm::ArrayRef<std::int32_t> labels);

// Lengths of these tensors.
std::vector<std::size_t> referenceTensors(const ReferenceSizes &sizes);

} // namespace plumbline::stages::testing
