// Distinct integer types for the things a schedule counts, so that a stage is never passed for a rank.
#pragma once

#include <compare>
#include <cstdint>

namespace plumbline {

// A non-negative number with a meaning; -1 stands for "none". The same size and cost as an int32_t.
template <typename Tag> class Id {
public:
  constexpr Id() = default;
  constexpr explicit Id(std::int32_t value) : value_(value) {}
  [[nodiscard]] constexpr std::int32_t value() const { return value_; }
  [[nodiscard]] constexpr bool valid() const { return value_ >= 0; }
  constexpr auto operator<=>(const Id &) const = default;

private:
  std::int32_t value_ = -1;
};

using RankId = Id<struct RankTag>;                 // one device
using StageId = Id<struct StageTag>;               // a model chunk; replica r of S stages holds r*S .. r*S+S-1
using MicrobatchId = Id<struct MicrobatchTag>;     // counted from 0 within one replica
using PoolId = Id<struct PoolTag>;                 // index into Program::pools
using CommunicatorId = Id<struct CommunicatorTag>; // index into Program::communicators
using GroupId = Id<struct GroupTag>;               // a fused launch or a compute overlap
using LabelId = Id<struct LabelTag>;               // index into Program::labels
using InstructionId = Id<struct InstructionTag>;   // index into Program::instructions
using FileId = Id<struct FileTag>;                 // index into Program::files

} // namespace plumbline
