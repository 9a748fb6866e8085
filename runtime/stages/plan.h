// Where things lie in the buffers of a stage. A plan is made once, when the stage is; passes only add offsets to
// addresses, and allocate nothing.
#pragma once

#include "runtime/operations/operations.h"

#include "llvm/ADT/ArrayRef.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace plumbline::stages {

// Cuts a buffer into pieces, one behind the other. Sizes that do not fit into 64 bits stop at a size beyond any memory.
class Carver {
public:
  static constexpr std::uint64_t tooLarge = std::uint64_t{1} << 62;

  explicit Carver(std::uint64_t alignment) : alignment_(alignment) {}

  // The offset of a new piece of `count` units.
  std::uint64_t take(std::uint64_t count) {
    const std::uint64_t offset = size_;
    const std::uint64_t end = std::min(size_ + std::min(count, tooLarge), tooLarge);
    size_ = (end + alignment_ - 1) / alignment_ * alignment_;
    return offset;
  }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  void clear() { size_ = 0; }

private:
  std::uint64_t alignment_; // a power of two
  std::uint64_t size_ = 0;
};

// A model's sizes. makeModel bounds them so that the size of any one tensor fits into 64 bits.
struct Dimensions {
  std::int64_t width = 0;
  std::int64_t layers = 0;    // of a stage
  std::int64_t allLayers = 0; // of the pipeline
  std::int64_t heads = 1;
  std::int64_t context = 0; // tokens of a sequence
  std::int64_t batch = 0;   // sequences of a microbatch
  std::int64_t vocabulary = 0;

  [[nodiscard]] std::int64_t rows() const { return batch * context; } // tokens of a microbatch
};

// A tensor of the parameters; its gradient lies at the same place among the gradients.
struct Parameter {
  std::int64_t offset = 0; // in elements
  std::int64_t count = 0;
};

// What the parameter is at first: constant + deviation * normal numbers that depend on the seed and `identity`.
struct FirstValue {
  Parameter parameter;
  float constant = 0;
  float deviation = 0;
  std::uint64_t identity = 0;
};

// A piece of the stash: what one pass leaves for the next ones.
struct Kept {
  std::uint64_t offset = 0; // in bytes
};

// A piece of the workspace: lost after the call of a part.
struct Borrowed {
  std::uint64_t offset = 0; // in bytes
};

class Plan {
public:
  Plan(const Dimensions &dimensions, operations::Element element) : dimensions_(dimensions), element_(element) {}

  [[nodiscard]] const Dimensions &dimensions() const { return dimensions_; }

  // Starts a part: its workspace is that of the others, its parameters are random by `identity`, whichever stage it is
  // in, so that a model starts the same however it is cut into stages.
  void beginPart(std::uint64_t identity);
  Parameter normal(std::int64_t count, double deviation) { return add(count, 0, static_cast<float>(deviation)); }
  Parameter constant(std::int64_t count, float value) { return add(count, value, 0); }
  Kept keep(std::int64_t count) { return {stash_.take(bytes(count, bytesOf(element_)))}; }
  Kept keepFloats(std::int64_t count) { return {stash_.take(bytes(count, sizeof(float)))}; }
  Borrowed borrow(std::int64_t count) { return borrowBytes(bytes(count, bytesOf(element_))); }
  Borrowed borrowFloats(std::int64_t count) { return borrowBytes(bytes(count, sizeof(float))); }

  [[nodiscard]] std::uint64_t parameters() const { return parameters_.size(); } // elements
  [[nodiscard]] std::uint64_t stash() const { return stash_.size(); }           // bytes
  [[nodiscard]] std::uint64_t workspace() const { return mostWorkspace_; }      // bytes
  [[nodiscard]] llvm::ArrayRef<FirstValue> firstValues() const { return firstValues_; }

private:
  static std::uint64_t bytes(std::int64_t count, std::size_t each) { return static_cast<std::uint64_t>(count) * each; }
  Parameter add(std::int64_t count, float constant, float deviation);
  Borrowed borrowBytes(std::uint64_t count);

  Dimensions dimensions_;
  operations::Element element_;
  Carver parameters_{64};
  Carver stash_{256};
  Carver workspace_{256};
  std::uint64_t mostWorkspace_ = 0;
  std::uint64_t nextIdentity_ = 0;
  std::vector<FirstValue> firstValues_;
};

// The buffers of one call of the stage.
struct Call {
  operations::Operations &operations;
  void *stream = nullptr;
  const void *parameters = nullptr;
  float *gradients = nullptr;
  void *stash = nullptr;
  void *workspace = nullptr;
  const std::int32_t *labels = nullptr;
  float scale = 0;

  [[nodiscard]] const void *at(Parameter p) const {
    return static_cast<const std::byte *>(parameters) +
           static_cast<std::size_t>(p.offset) * bytesOf(operations.element());
  }
  [[nodiscard]] float *gradientOf(Parameter p) const { return gradients + p.offset; }
  [[nodiscard]] void *at(Kept k) const { return static_cast<std::byte *>(stash) + k.offset; }
  [[nodiscard]] float *floatsAt(Kept k) const { return static_cast<float *>(at(k)); }
  [[nodiscard]] void *at(Borrowed b) const { return static_cast<std::byte *>(workspace) + b.offset; }
  [[nodiscard]] float *floatsAt(Borrowed b) const { return static_cast<float *>(at(b)); }
};

} // namespace plumbline::stages
