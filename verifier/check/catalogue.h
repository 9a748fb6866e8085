// Which instruction does what to each (stage, microbatch): the table that the completeness and order rules read.
#pragma once

#include "verifier/ir/program.h"

#include <array>
#include <optional>
#include <vector>

namespace plumbline::check {

enum class Role : std::uint8_t {
  forward,
  backward,
  backward_input,
  backward_weight,
  send_activation,
  receive_activation,
  send_gradient,
  receive_gradient,
  recompute,
};
inline constexpr std::size_t roleCount = 9;

std::optional<Role> roleOf(Opcode opcode);

class Catalogue {
public:
  // Linear. Instructions of microbatches outside 0 .. microbatches-1 are listed apart.
  explicit Catalogue(const Program &program);

  // The first such instruction in issue order; none if there is none.
  [[nodiscard]] InstructionId find(Role role, StageId stage, std::int32_t microbatch) const {
    return table_[index(stage, microbatch)][static_cast<std::size_t>(role)];
  }
  [[nodiscard]] const std::vector<InstructionId> &outOfRange() const { return outOfRange_; }
  // Second and later instructions of the same role, stage and microbatch, each with the first. Recomputing twice is a
  // waste, but nothing comes out wrong.
  [[nodiscard]] const std::vector<std::pair<InstructionId, InstructionId>> &duplicates() const { return duplicates_; }

private:
  [[nodiscard]] std::size_t index(StageId stage, std::int32_t microbatch) const {
    return static_cast<std::size_t>(stage.value()) * static_cast<std::size_t>(microbatches_) +
           static_cast<std::size_t>(microbatch);
  }
  std::int32_t microbatches_;
  std::vector<std::array<InstructionId, roleCount>> table_;
  std::vector<InstructionId> outOfRange_;
  std::vector<std::pair<InstructionId, InstructionId>> duplicates_;
};

} // namespace plumbline::check
