#include "verifier/check/catalogue.h"

#include "llvm/ADT/STLExtras.h"

namespace plumbline::check {

std::optional<Role> roleOf(Opcode opcode) {
  switch (opcode) {
  case Opcode::forward:
    return Role::forward;
  case Opcode::backward:
    return Role::backward;
  case Opcode::backward_input:
    return Role::backward_input;
  case Opcode::backward_weight:
    return Role::backward_weight;
  case Opcode::send_activation:
    return Role::send_activation;
  case Opcode::receive_activation:
    return Role::receive_activation;
  case Opcode::send_gradient:
    return Role::send_gradient;
  case Opcode::receive_gradient:
    return Role::receive_gradient;
  case Opcode::recompute:
    return Role::recompute;
  default:
    return std::nullopt;
  }
}

Catalogue::Catalogue(const Program &program) : microbatches_(program.microbatches) {
  table_.resize(program.stages.size() * static_cast<std::size_t>(program.microbatches));
  for (const auto &[k, i] : llvm::enumerate(program.instructions)) {
    const std::optional<Role> role = roleOf(i.opcode);
    if (!role || !i.stage.valid())
      continue;
    const InstructionId id(static_cast<std::int32_t>(k));
    if (!i.microbatch.valid() || i.microbatch.value() >= microbatches_) {
      outOfRange_.push_back(id);
      continue;
    }
    InstructionId &entry = table_[index(i.stage, i.microbatch.value())][static_cast<std::size_t>(*role)];
    if (entry.valid() && *role != Role::recompute)
      duplicates_.emplace_back(id, entry);
    else if (!entry.valid())
      entry = id;
  }
}

} // namespace plumbline::check
