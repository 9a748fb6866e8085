#include "runtime/stages/settings.h"

#include <cassert>

namespace plumbline::stages {
namespace {

// As in Settings' enumerations.
constexpr const char *elementWords[] = {"f32", "bf16"};
constexpr const char *optimizerWords[] = {"adam", "sgd"};

// The last one is of the transformer only. The defaults train in seconds on a laptop.
constexpr Option options[] = {
    {"width", "size of the vector of a token", 64, 1, 65536},
    {"layers", "layers of each stage", 1, 1, 1024},
    {"context", "tokens of a sequence", 32, 1, 65536},
    {"batch", "sequences of a microbatch", 4, 1, 65536},
    {"vocabulary", "tokens that there are", 256, 1, 1 << 20},
    {"element", "type of activations and parameters; sums and gradients are f32", 0, 0, 1, true, elementWords},
    {"optimizer", "adam, or plain gradient descent", 0, 0, 1, true, optimizerWords},
    {"weight_decay", "of adam, decoupled, of all parameters", 0, 0, 1, false},
    {"heads", "of attention; they divide the width", 4, 1, 1024},
};

// Bounds every product of sizes: 64 bits hold the size of any tensor, 31 bits what a matrix product is told.
constexpr std::int64_t mostRows = 1 << 24;

} // namespace

llvm::ArrayRef<Option> optionsOf(Architecture architecture) {
  const llvm::ArrayRef<Option> all = options;
  return architecture == Architecture::transformer ? all : all.drop_back();
}

const char *nameOf(Architecture architecture) {
  return architecture == Architecture::transformer ? "transformer" : "mlp";
}

std::string readSettings(Architecture architecture, const plumbline_stage_request &request, Settings &settings) {
  Options given;
  if (std::string wrong = given.read(optionsOf(architecture), request.options ? request.options : ""); !wrong.empty())
    return wrong;
  Dimensions &sizes = settings.dimensions;
  sizes.width = given.whole("width");
  sizes.layers = given.whole("layers");
  sizes.allLayers = sizes.layers * request.stages;
  sizes.context = given.whole("context");
  sizes.batch = given.whole("batch");
  sizes.vocabulary = given.whole("vocabulary");
  if (architecture == Architecture::transformer)
    sizes.heads = given.whole("heads");
  settings.element = static_cast<operations::Element>(given.whole("element"));
  settings.optimizer = static_cast<Optimizer>(given.whole("optimizer"));
  settings.weightDecay = static_cast<float>(given.number("weight_decay"));

  if (sizes.width % sizes.heads != 0)
    return "option heads divides width; got heads=" + std::to_string(sizes.heads) +
           " and width=" + std::to_string(sizes.width);
  if (sizes.rows() > mostRows)
    return "option batch times option context is at most " + std::to_string(mostRows) +
           "; got batch=" + std::to_string(sizes.batch) + " and context=" + std::to_string(sizes.context);
  if (settings.optimizer == Optimizer::sgd && settings.weightDecay != 0)
    return "option weight_decay is of optimizer=adam; got optimizer=sgd";
  return "";
}

} // namespace plumbline::stages
