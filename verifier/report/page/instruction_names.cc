#include "verifier/report/page/instruction_names.h"

#include "verifier/ir/words.h"

#include "llvm/ADT/StringExtras.h"

namespace plumbline::report {
namespace {

NamePattern patternIn(llvm::StringRef name, const Program &program, const Instruction &i) {
  NamePattern pattern;
  const auto digits = [](llvm::StringRef text) { return text.take_while(llvm::isDigit); };
  if (const llvm::StringRef first = digits(name); !first.empty() && i.stage.valid()) {
    const std::int32_t period = program.stagesPerReplica > 0 ? program.stagesPerReplica : program.stageCount();
    pattern.stage = first == std::to_string(i.stage.value() % period);
    if (pattern.stage)
      name = name.drop_front(first.size());
  }
  const llvm::StringRef before = name.take_until(llvm::isDigit);
  const llvm::StringRef number = digits(name.drop_front(before.size()));
  pattern.microbatch = pattern.stage && i.microbatch.valid() && number == std::to_string(i.microbatch.value());
  pattern.before = pattern.microbatch ? before.str() : name.str();
  if (pattern.microbatch)
    pattern.after = name.drop_front(before.size() + number.size()).str();
  return pattern;
}

} // namespace

std::uint32_t InstructionNames::patternOf(const Program &program, InstructionId instruction) {
  NamePattern pattern = patternIn(plumbline::nameOf(program, instruction), program, program.at(instruction));
  // The length tells where `before` ends, whatever the texts hold.
  const std::string key = std::to_string(pattern.before.size()) + (pattern.stage ? "s" : "-") +
                          (pattern.microbatch ? "m" : "-") + pattern.before + pattern.after;
  const auto [entry, isNew] = known_.try_emplace(key, static_cast<std::uint32_t>(patterns_.size()));
  if (isNew)
    patterns_.push_back(std::move(pattern));
  return entry->second;
}

} // namespace plumbline::report
