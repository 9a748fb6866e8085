// What the options of a model say, checked.
#pragma once

#include "runtime/operations/element.h"
#include "runtime/stage.h"
#include "runtime/stages/model.h"
#include "runtime/stages/plan.h"

#include <string>

namespace plumbline::stages {

enum class Optimizer : std::uint8_t { adam, sgd };

struct Settings {
  Dimensions dimensions;
  operations::Element element = operations::Element::f32;
  Optimizer optimizer = Optimizer::adam;
  float weightDecay = 0;
};

// What is wrong with the request; empty: nothing, and `settings` is filled in.
std::string readSettings(Architecture architecture, const plumbline_stage_request &request, Settings &settings);

} // namespace plumbline::stages
