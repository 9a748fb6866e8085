#include "runtime/memory/extents.h"

namespace plumbline::runtime {

plumbline_extent extentOf(StageSizes sizes, std::int32_t stagesPerReplica, const Value &value) {
  if (!value.stage.valid())
    return {0, PLUMBLINE_BYTE};
  const plumbline_stage_sizes &stage = sizes[static_cast<std::size_t>(value.stage.value() % stagesPerReplica)];
  switch (value.kind) {
  case ValueKind::input:
  case ValueKind::input_gradient:
    return stage.input;
  case ValueKind::output:
  case ValueKind::output_gradient:
    return stage.output;
  case ValueKind::stash:
    return stage.stash;
  case ValueKind::labels:
    return stage.labels;
  case ValueKind::loss:
    return {1, PLUMBLINE_F32};
  case ValueKind::other:
    break;
  }
  return {0, PLUMBLINE_BYTE};
}

} // namespace plumbline::runtime
