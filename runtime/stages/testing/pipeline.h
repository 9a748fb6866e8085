// A pipeline of bundled stages, driven by hand: the tests' stand-in for an executor. Every buffer lies between guard
// words and is poisoned, and the workspace is poisoned again before each call, so a stage that writes too far, reads
// what nobody wrote, or keeps something in its workspace is found out.
#pragma once

#include "runtime/stage.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace plumbline::stages::testing {

// Memory aligned to 256 bytes, with guard words before and behind.
class Guarded {
public:
  Guarded() = default;
  Guarded(plumbline_extent extent, std::uint8_t poison);
  Guarded(Guarded &&) = default;
  Guarded &operator=(Guarded &&) = default;

  [[nodiscard]] plumbline_buffer buffer() const { return {data_, count_}; }
  [[nodiscard]] llvm::ArrayRef<std::byte> bytes() const { return {data_, size_}; }
  template <typename T> [[nodiscard]] llvm::MutableArrayRef<T> as() const {
    return {reinterpret_cast<T *>(data_), size_ / sizeof(T)};
  }
  void fill(std::uint8_t byte) const;
  [[nodiscard]] bool intact() const;

private:
  std::vector<std::byte> memory_; // moves keep addresses
  std::byte *data_ = nullptr;     // null if the extent is nothing
  std::uint64_t count_ = 0;
  std::size_t size_ = 0; // in bytes
};

enum class Backward : std::uint8_t { whole, halves };

class Pipeline {
public:
  // Fails the test if a stage cannot be made. Initializes the parameters.
  Pipeline(llvm::StringRef name, const std::string &options, std::int32_t stages, std::int32_t microbatches,
           std::uint8_t poison = 0xff);
  Pipeline(const Pipeline &) = delete;
  Pipeline &operator=(const Pipeline &) = delete;
  ~Pipeline();

  [[nodiscard]] std::int32_t stages() const { return static_cast<std::int32_t>(stages_.size()); }
  [[nodiscard]] const plumbline_stage_sizes &sizes(std::int32_t stage) const { return at(stage).sizes; }

  // Tokens of a microbatch, and the same one further as labels, from a text (one more than a microbatch takes).
  void setText(std::int32_t microbatch, llvm::ArrayRef<std::int32_t> text);
  void setInputByte(std::int32_t microbatch, std::size_t at, std::uint8_t byte);
  // Whole passes through all stages. Each function of a stage must return 0.
  float forward(std::int32_t microbatch);
  void backward(std::int32_t microbatch, float scale, Backward way);
  // One stage's forward pass again.
  void forwardStage(std::int32_t stage, std::int32_t microbatch);
  void update(float learningRate); // and sets gradients to zero

  [[nodiscard]] const Guarded &parameters(std::int32_t stage) const { return at(stage).parameters; }
  [[nodiscard]] const Guarded &gradients(std::int32_t stage) const { return at(stage).gradients; }
  [[nodiscard]] const Guarded &stash(std::int32_t stage, std::int32_t microbatch) const {
    return at(stage).stashes[static_cast<std::size_t>(microbatch)];
  }
  [[nodiscard]] const Guarded &output(std::int32_t stage, std::int32_t microbatch) const {
    return at(stage).outputs[static_cast<std::size_t>(microbatch)];
  }
  // Everything as bytes that must agree between two runs: parameters and gradients of all stages.
  [[nodiscard]] std::vector<std::byte> state() const;
  [[nodiscard]] bool intact() const;

private:
  struct Stage {
    void *object = nullptr;
    plumbline_stage_sizes sizes = {};
    Guarded parameters;
    Guarded gradients;
    Guarded optimizer;
    Guarded workspace;
    std::vector<Guarded> inputs; // of stage 0, by microbatch
    std::vector<Guarded> labels;
    std::vector<Guarded> stashes;
    std::vector<Guarded> outputs;
    std::vector<Guarded> inputGradients;
  };
  using PassFunction = int (*)(void *stage, const plumbline_pass *pass);

  [[nodiscard]] const Stage &at(std::int32_t stage) const { return stages_[static_cast<std::size_t>(stage)]; }
  void addStage(const std::string &options, std::int32_t stage, std::int32_t stages, std::int32_t microbatches);
  plumbline_update updateOf(const Stage &stage);
  void call(PassFunction function, std::int32_t stage, std::int32_t microbatch, float scale);

  const plumbline_stage_functions *functions_ = nullptr;
  std::uint8_t poison_;
  std::int64_t step_ = 0;
  std::vector<Stage> stages_;
  char message_[256] = {};
};

} // namespace plumbline::stages::testing
