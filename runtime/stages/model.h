// Language models as stages of a pipeline. Every stage has `layers` layers; the first one begins with an embedding, the
// last one ends with a head and the loss. What computes is given by a factory of Operations, so that a device's stages
// are these same ones:
//
//     static const plumbline_stage_functions functions = modelFunctions<Architecture::mlp, makeCudaOperations>();
#pragma once

#include "runtime/operations/operations.h"
#include "runtime/stage.h"
#include "runtime/stages/options.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace plumbline::stages {

enum class Architecture : std::uint8_t {
  mlp,         // a layer is an MLP
  transformer, // causal attention, then an MLP
};

const char *nameOf(Architecture architecture);
llvm::ArrayRef<Option> optionsOf(Architecture architecture);

// Operations of a device (-1: the host) on such elements; or null, and why not.
using OperationsFactory = std::unique_ptr<operations::Operations> (*)(std::int32_t device, operations::Element element,
                                                                      std::string &whyNot);

// plumbline_stage_functions::create, of an architecture and with a factory.
int createModel(Architecture architecture, OperationsFactory factory, const plumbline_stage_request *request,
                void **stage, plumbline_stage_sizes *sizes, char *message, std::size_t messageSize);
// The other functions; create and name are null.
extern const plumbline_stage_functions modelPasses;

template <Architecture architecture, OperationsFactory factory> plumbline_stage_functions modelFunctions() {
  plumbline_stage_functions functions = modelPasses;
  functions.name = nameOf(architecture);
  functions.create = [](const plumbline_stage_request *request, void **stage, plumbline_stage_sizes *sizes,
                        char *message, std::size_t messageSize) {
    return createModel(architecture, factory, request, stage, sizes, message, messageSize);
  };
  return functions;
}

} // namespace plumbline::stages
