#include "runtime/stages/testing/reference.h"

#include <cmath>

namespace plumbline::stages::testing {
namespace {

// Takes tensors in their order.
class Reader {
public:
  explicit Reader(const std::vector<Values> &tensors) : tensors_(tensors) {}
  const Values &next() { return tensors_[at_++]; }

private:
  const std::vector<Values> &tensors_;
  std::size_t at_ = 0;
};

Values norm(const Values &x, Reader &reader) {
  const Values &weight = reader.next();
  const Values &bias = reader.next();
  const std::size_t width = weight.size();
  Values y(x.size());
  for (std::size_t row = 0; row < x.size(); row += width) {
    double mean = 0;
    double variance = 0;
    for (std::size_t i = 0; i < width; ++i)
      mean += x[row + i] / static_cast<double>(width);
    for (std::size_t i = 0; i < width; ++i)
      variance += (x[row + i] - mean) * (x[row + i] - mean) / static_cast<double>(width);
    for (std::size_t i = 0; i < width; ++i)
      y[row + i] = (x[row + i] - mean) / std::sqrt(variance + 1e-5) * weight[i] + bias[i];
  }
  return y;
}

Values linear(const Values &x, const Values &weight, const Values &bias, std::size_t in, std::size_t out) {
  Values y(x.size() / in * out);
  for (std::size_t row = 0; row < x.size() / in; ++row)
    for (std::size_t o = 0; o < out; ++o) {
      double sum = bias.empty() ? 0 : bias[o];
      for (std::size_t i = 0; i < in; ++i)
        sum += x[row * in + i] * weight[i * out + o];
      y[row * out + o] = sum;
    }
  return y;
}

Values linear(const Values &x, Reader &reader, std::size_t in, std::size_t out) {
  const Values &weight = reader.next();
  return linear(x, weight, reader.next(), in, out);
}

void addTo(Values &x, const Values &y) {
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] += y[i];
}

// One query of one head, over the tokens up to its own.
void attendOne(const ReferenceSizes &sizes, const Values &entered, std::size_t sequence, std::size_t token,
               std::size_t head, Values &mixed) {
  const std::size_t slice = sizes.width / sizes.heads;
  const auto at = [&](std::size_t third, std::size_t t, std::size_t i) {
    return entered[(sequence * sizes.context + t) * 3 * sizes.width + third * sizes.width + head * slice + i];
  };
  double total = 0;
  Values found(slice);
  for (std::size_t t = 0; t <= token; ++t) {
    double score = 0;
    for (std::size_t i = 0; i < slice; ++i)
      score += at(0, token, i) * at(1, t, i) / std::sqrt(static_cast<double>(slice));
    total += std::exp(score);
    for (std::size_t i = 0; i < slice; ++i)
      found[i] += std::exp(score) * at(2, t, i);
  }
  for (std::size_t i = 0; i < slice; ++i)
    mixed[(sequence * sizes.context + token) * sizes.width + head * slice + i] = found[i] / total;
}

Values attention(const ReferenceSizes &sizes, const Values &x, Reader &reader) {
  const Values normal = norm(x, reader);
  const Values entered = linear(normal, reader, sizes.width, 3 * sizes.width);
  Values mixed(x.size());
  for (std::size_t sequence = 0; sequence < sizes.batch; ++sequence)
    for (std::size_t token = 0; token < sizes.context; ++token)
      for (std::size_t head = 0; head < sizes.heads; ++head)
        attendOne(sizes, entered, sequence, token, head, mixed);
  return linear(mixed, reader, sizes.width, sizes.width);
}

Values mlp(const ReferenceSizes &sizes, const Values &x, Reader &reader) {
  const Values normal = norm(x, reader);
  Values hidden = linear(normal, reader, sizes.width, 4 * sizes.width);
  for (double &v : hidden)
    v = 0.5 * v * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)));
  return linear(hidden, reader, 4 * sizes.width, sizes.width);
}

double crossEntropy(const Values &logits, llvm::ArrayRef<std::int32_t> labels) {
  const std::size_t vocabulary = logits.size() / labels.size();
  double loss = 0;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < vocabulary; ++i)
      sum += std::exp(logits[row * vocabulary + i]);
    loss += std::log(sum) - logits[row * vocabulary + static_cast<std::size_t>(labels[row])];
  }
  return loss / static_cast<double>(labels.size());
}

} // namespace

double referenceLoss(const ReferenceSizes &sizes, const std::vector<Values> &tensors,
                     llvm::ArrayRef<std::int32_t> tokens, llvm::ArrayRef<std::int32_t> labels) {
  Reader reader(tensors);
  const Values &vectors = reader.next();
  const Values &positions = reader.next();
  Values x;
  for (std::size_t row = 0; row < tokens.size(); ++row)
    for (std::size_t i = 0; i < sizes.width; ++i)
      x.push_back(vectors[static_cast<std::size_t>(tokens[row]) * sizes.width + i] +
                  positions[row % sizes.context * sizes.width + i]);
  for (std::size_t layer = 0; layer < sizes.layers; ++layer) {
    if (sizes.heads > 0)
      addTo(x, attention(sizes, x, reader));
    addTo(x, mlp(sizes, x, reader));
  }
  const Values normal = norm(x, reader);
  return crossEntropy(linear(normal, reader.next(), {}, sizes.width, sizes.vocabulary), labels);
}

std::vector<std::size_t> referenceTensors(const ReferenceSizes &sizes) {
  const std::size_t w = sizes.width;
  std::vector<std::size_t> lengths = {sizes.vocabulary * w, sizes.context * w};
  for (std::size_t layer = 0; layer < sizes.layers; ++layer) {
    if (sizes.heads > 0)
      lengths.insert(lengths.end(), {w, w, 3 * w * w, 3 * w, w * w, w});
    lengths.insert(lengths.end(), {w, w, 4 * w * w, 4 * w, 4 * w * w, w});
  }
  lengths.insert(lengths.end(), {w, w, w * sizes.vocabulary});
  return lengths;
}

} // namespace plumbline::stages::testing
