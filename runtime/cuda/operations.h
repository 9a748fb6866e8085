// Operations in a device's memory: cuBLAS for products, kernels for the rest.
#pragma once

#include "runtime/operations/operations.h"

#include <memory>
#include <string>

namespace plumbline::runtime::cuda {

// For one stage, on that device, whose number is at least 0. Reserves a workspace for cuBLAS, so that calls allocate
// nothing. Null, and why not, if the device or cuBLAS refuses.
std::unique_ptr<operations::Operations> makeCudaOperations(std::int32_t device, operations::Element element,
                                                           std::string &whyNot);

} // namespace plumbline::runtime::cuda
