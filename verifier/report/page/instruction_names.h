// The names of all instructions of a program, with what differs only by stage and microbatch said once.
#pragma once

#include "verifier/ir/program.h"

#include "llvm/ADT/StringMap.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline::report {

// A name is: the stage's number within its replica if `stage`, then `before`, then the microbatch's number if
// `microbatch`, then `after`. A number that is equal to the microbatch's by chance, as a buffer's, is none.
struct NamePattern {
  bool stage = false;
  std::string before;
  bool microbatch = false;
  std::string after;
};

class InstructionNames {
public:
  // The index of the pattern that gives the instruction's name (verifier/ir/words.h). Each pattern is kept once.
  std::uint32_t patternOf(const Program &program, InstructionId instruction);
  [[nodiscard]] const std::vector<NamePattern> &patterns() const { return patterns_; }

private:
  std::vector<NamePattern> patterns_;
  llvm::StringMap<std::uint32_t> known_;
};

} // namespace plumbline::report
