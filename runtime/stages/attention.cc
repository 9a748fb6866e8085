#include "runtime/stages/layers.h"
#include "runtime/stages/parts.h"

#include <cmath>

namespace plumbline::stages {
namespace {

using operations::Product;
using operations::Side;
using operations::Steps;

// One product of width x 3 width makes queries, keys and values, side by side in each token's row ("entered"); the
// heads are slices of these. What the heads find ("mixed") lies side by side in rows of width.
class Attention final : public Part {
public:
  explicit Attention(Plan &plan)
      : sizes_(plan.dimensions()), headWidth_(sizes_.width / sizes_.heads), norm_(plan),
        enter_(plan, sizes_.width, 3 * sizes_.width, usualDeviation(sizes_.width), Linear::Bias::yes),
        leave_(plan, sizes_.width, sizes_.width, residualDeviation(sizes_.width, sizes_), Linear::Bias::yes),
        entered_(plan.keep(3 * sizes_.rows() * sizes_.width)), probabilities_(plan.keep(scoreCount())),
        mixed_(plan.keep(sizes_.rows() * sizes_.width)),
        enteredGradient_(plan.borrow(3 * sizes_.rows() * sizes_.width)), scoreGradient_(plan.borrow(scoreCount())),
        mixedGradient_(plan.borrow(sizes_.rows() * sizes_.width)) {}

  void forward(const Call &call, const void *in, void *out) const override {
    void *const entered = call.at(entered_);
    void *const scores = call.at(probabilities_);
    norm_.forward(call, in);
    enter_.forward(call, norm_.output(call), entered);
    makeScores(call, third(call, entered, query), third(call, entered, key), scale(), scores);
    call.operations.causalSoftmax(call.stream, sizes_.batch * sizes_.heads, sizes_.context, scores);
    applyScores(call, square(scores), third(call, entered, value), 1, call.at(mixed_), narrow());
    call.operations.copy(call.stream, sizes_.rows() * sizes_.width, in, out);
    leave_.forward(call, call.at(mixed_), out, Linear::Onto::residual);
  }

  void backwardInput(const Call &call, const void *in, const void *outGradient, void *inGradient) const override {
    leave_.backwardInput(call, outGradient, call.at(mixedGradient_));
    backwardThroughHeads(call);
    // Queries, keys and values are not needed any more: backwardWeight finds their gradients in their place.
    call.operations.copy(call.stream, 3 * sizes_.rows() * sizes_.width, call.at(enteredGradient_), call.at(entered_));
    enter_.backwardInput(call, call.at(entered_), norm_.outputGradient(call));
    norm_.backwardInput(call, in, outGradient, inGradient);
  }

  void backwardWeight(const Call &call, const void *in, const void *outGradient) const override {
    leave_.backwardWeight(call, call.at(mixed_), outGradient);
    enter_.backwardWeight(call, norm_.output(call), call.at(entered_));
    norm_.backwardWeight(call, in);
  }

private:
  enum Third : std::uint8_t { query, key, value };

  // From mixedGradient to enteredGradient.
  void backwardThroughHeads(const Call &call) const {
    void *const entered = call.at(entered_);
    void *const gradient = call.at(enteredGradient_);
    const Side mixedGradient = {.data = call.at(mixedGradient_), .steps = narrow()};
    const Side probabilities = square(call.at(probabilities_));
    void *const scoreGradient = call.at(scoreGradient_);
    makeScores(call, mixedGradient, third(call, entered, value), 1, scoreGradient);
    call.operations.causalSoftmaxGradient(call.stream, sizes_.batch * sizes_.heads, sizes_.context, probabilities.data,
                                          scoreGradient);
    const Side scores = square(scoreGradient);
    applyScores(call, scores, third(call, entered, key), scale(), place(call, gradient, query), wide());
    applyScores(call, transposed(scores), third(call, entered, query), scale(), place(call, gradient, key), wide());
    applyScores(call, transposed(probabilities), mixedGradient, 1, place(call, gradient, value), wide());
  }

  // For each head: scores (context x context) = alpha A B^T; A and B are context x headWidth.
  void makeScores(const Call &call, const Side &a, const Side &b, float alpha, void *scores) const {
    multiply(call, {.rows = sizes_.context,
                    .columns = sizes_.context,
                    .inner = headWidth_,
                    .a = a,
                    .b = transposed(b),
                    .c = scores,
                    .steps = square(scores).steps,
                    .alpha = alpha});
  }

  // For each head: C (context x headWidth) = alpha scores B.
  void applyScores(const Call &call, const Side &scores, const Side &b, float alpha, void *c, Steps steps) const {
    multiply(call, {.rows = sizes_.context,
                    .columns = headWidth_,
                    .inner = sizes_.context,
                    .a = scores,
                    .b = b,
                    .c = c,
                    .steps = steps,
                    .alpha = alpha});
  }

  void multiply(const Call &call, Product product) const {
    product.sequences = sizes_.batch;
    product.heads = sizes_.heads;
    call.operations.multiply(call.stream, product);
  }

  // The first head's queries, keys or values.
  void *place(const Call &call, void *entered, Third which) const {
    const auto elements = static_cast<std::size_t>(which) * static_cast<std::size_t>(sizes_.width);
    return static_cast<std::byte *>(entered) + elements * bytesOf(call.operations.element());
  }
  Side third(const Call &call, void *entered, Third which) const {
    return {.data = place(call, entered, which), .steps = wide()};
  }
  [[nodiscard]] Side square(const void *scores) const {
    const std::int64_t size = sizes_.context * sizes_.context;
    return {.data = scores, .steps = {.row = sizes_.context, .sequence = sizes_.heads * size, .head = size}};
  }
  static Side transposed(Side side) {
    side.transposed = true;
    return side;
  }

  // How the heads lie in entered and in mixed.
  [[nodiscard]] Steps wide() const {
    return {.row = 3 * sizes_.width, .sequence = 3 * sizes_.width * sizes_.context, .head = headWidth_};
  }
  [[nodiscard]] Steps narrow() const {
    return {.row = sizes_.width, .sequence = sizes_.width * sizes_.context, .head = headWidth_};
  }

  [[nodiscard]] std::int64_t scoreCount() const { return sizes_.rows() * sizes_.heads * sizes_.context; }
  [[nodiscard]] float scale() const { return 1 / std::sqrt(static_cast<float>(headWidth_)); }

  Dimensions sizes_;
  std::int64_t headWidth_;
  Norm norm_;
  Linear enter_;
  Linear leave_;
  Kept entered_;
  Kept probabilities_;
  Kept mixed_;
  Borrowed enteredGradient_;
  Borrowed scoreGradient_;
  Borrowed mixedGradient_;
};

} // namespace

std::unique_ptr<Part> makeAttention(Plan &plan) { return std::make_unique<Attention>(plan); }

} // namespace plumbline::stages
