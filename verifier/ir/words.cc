#include "verifier/ir/words.h"

#include "verifier/ir/framework_words.h"

namespace plumbline {
namespace {

bool inDeepSpeedWords(const Program &program) { return program.execution == Execution::blocking; }

std::string number(auto id) { return std::to_string(id.value()); }

// The slot that DeepSpeed prints as buffer_id: the one in a pool that is sized by num_pipe_buffers.
std::string bufferOf(const Program &program, const Instruction &i) {
  for (const SlotAccess &access : program.accessesOf(i))
    if (program.pools[static_cast<std::size_t>(access.pool.value())].declaration == 0)
      return "(buffer_id=" + std::to_string(access.slot) + ")";
  return "()";
}

std::string plainName(const Program &program, const Instruction &i) {
  std::string text = name(i.opcode).str();
  if (i.label.valid())
    text += " '" + program.labels[static_cast<std::size_t>(i.label.value())] + "'";
  else if (i.stage.valid())
    text += " of stage " + number(i.stage);
  return text;
}

} // namespace

std::string nameOf(const Program &program, StageId stage) {
  if (program.replicas == 1 || program.stagesPerReplica == 0)
    return "stage " + number(stage);
  const std::int32_t replica = stage.value() / program.stagesPerReplica;
  if (program.stagesPerReplica == 1)
    return "replica " + std::to_string(replica);
  return "stage " + std::to_string(stage.value() % program.stagesPerReplica) + " of direction " +
         std::to_string(replica);
}

std::string nameOf(const Program &program, InstructionId id) {
  const Instruction &i = program.at(id);
  if (const char *word = deepSpeedWord(i.opcode); word && inDeepSpeedWords(program))
    return word + bufferOf(program, i);
  const char *word = pytorchWord(i.opcode);
  if (!word || !i.stage.valid())
    return plainName(program, i);
  std::string cell =
      std::to_string(program.stagesPerReplica ? i.stage.value() % program.stagesPerReplica : i.stage.value()) + word +
      (i.microbatch.valid() ? number(i.microbatch) : "");
  if (program.replicas > 1 && program.stagesPerReplica > 1)
    return cell + " (direction " + std::to_string(i.stage.value() / program.stagesPerReplica) + ")";
  return cell;
}

std::string fullNameOf(const Program &program, InstructionId id) {
  const Instruction &i = program.at(id);
  if (!inDeepSpeedWords(program))
    return "rank " + number(i.rank) + ": " + nameOf(program, id);
  std::string text = i.stage.valid() ? nameOf(program, i.stage) + ": " : "rank " + number(i.rank) + ": ";
  text += nameOf(program, id);
  if (i.microbatch.valid())
    text += " of microbatch " + number(i.microbatch);
  return text;
}

std::string nameOf(const Program &program, const Value &value, StageId stage) {
  const char *kind = "the value";
  switch (value.kind) {
  case ValueKind::input:
    kind = "the input activation";
    break;
  case ValueKind::output:
    kind = "the output activation";
    break;
  case ValueKind::output_gradient:
    kind = "the output gradient";
    break;
  case ValueKind::input_gradient:
    kind = "the input gradient";
    break;
  case ValueKind::stash:
    kind = "the kept activations";
    break;
  case ValueKind::labels:
    kind = "the labels";
    break;
  case ValueKind::loss:
    kind = "the loss";
    break;
  case ValueKind::other:
    break;
  }
  std::string text = kind;
  if (value.microbatch.valid())
    text += " of microbatch " + number(value.microbatch);
  if (value.stage.valid() && value.stage != stage)
    text += " of " + nameOf(program, value.stage);
  return text;
}

std::string slotName(const Program &program, const SlotAccess &access) {
  return program.pools[static_cast<std::size_t>(access.pool.value())].name + "[" + std::to_string(access.slot) + "]";
}

std::string counted(std::size_t n, const char *noun) { return std::to_string(n) + " " + noun + (n == 1 ? "" : "s"); }

} // namespace plumbline
