// Operations in the host's memory: OpenBLAS for f32 products, plain loops for the rest.
#pragma once

#include "runtime/operations/operations.h"

#include <memory>

namespace plumbline::operations {

// bf16 is there so that what a device does can be followed on the host; its products are slow.
std::unique_ptr<Operations> makeHostOperations(Element element);

} // namespace plumbline::operations
