#include "tests/runtime/programs.h"

#include "verifier/lower/communicators.h"
#include "verifier/lower/lower.h"

#include "gtest/gtest.h"

#include <map>

namespace plumbline::runtime::testing {

std::optional<Sized> programOf(const schedules::Family &family, std::int32_t ranks, std::int32_t microbatches,
                               llvm::ArrayRef<schedules::OptionText> words) {
  Sizes sizes;
  sizes.ranks = ranks;
  sizes.microbatches = microbatches;
  const Result<schedules::Request> request = schedules::makeRequest(family, sizes, words);
  if (!request)
    return std::nullopt;
  Result<Program> program = lower::lowerSchedule(schedules::generate(family, *request));
  if (!program) {
    ADD_FAILURE() << family.name << ": " << program.error().message;
    return std::nullopt;
  }
  model::Options options;
  options.kind = program->execution == Execution::blocking ? model::Kind::blocking : model::Kind::nccl;
  const bool waits = program->waitsForGroups && program->execution != Execution::blocking;
  options.wait = waits ? model::Wait::group : model::Wait::use;
  lower::setCommunicators(*program, lower::Communicators::single);
  return Sized{std::move(*program), options};
}

bool inOrder(const Program &program) {
  std::map<std::int32_t, std::int32_t> last; // by stage
  for (const Instruction &i : program.instructions)
    if (i.opcode == Opcode::backward || i.opcode == Opcode::backward_weight) {
      const auto [entry, isNew] = last.try_emplace(i.stage.value(), -1);
      if (i.microbatch.value() < entry->second)
        return false;
      entry->second = i.microbatch.value();
    }
  return true;
}

} // namespace plumbline::runtime::testing
