// How large every value of a Program is, given the stages that run it.
#pragma once

#include "runtime/stage.h"
#include "verifier/ir/program.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace plumbline::runtime {

// Every buffer begins at a multiple of it; what the stage interface promises.
inline constexpr std::uint64_t alignment = 256;

constexpr std::uint64_t aligned(std::uint64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

// Size of one element in bytes; 0 for a number that is no plumbline_element.
constexpr std::uint64_t bytesOfElement(std::int32_t element) {
  switch (element) {
  case PLUMBLINE_BYTE:
    return 1;
  case PLUMBLINE_F32:
  case PLUMBLINE_I32:
    return 4;
  case PLUMBLINE_BF16:
    return 2;
  default:
    return 0;
  }
}

inline std::uint64_t bytesOf(const plumbline_extent &extent) { return extent.count * bytesOfElement(extent.element); }

// What the stages of one replica need, by position in the pipeline.
using StageSizes = llvm::ArrayRef<plumbline_stage_sizes>;

// The extent of a value of that kind; of a stash, what a forward pass keeps. Nothing for ValueKind::other, which only
// messages without a stage carry.
plumbline_extent extentOf(StageSizes sizes, std::int32_t stagesPerReplica, const Value &value);

} // namespace plumbline::runtime
