// A Program taken apart into lines that can be moved, dropped and copied, and put together again.
#pragma once

#include "verifier/ir/program.h"

#include <vector>

namespace plumbline::oracle {

struct Line {
  int key = -1; // names the line in `waits`; a copy gets a new one
  Instruction instruction;
  std::vector<SlotAccess> accesses;
  std::vector<int> waits; // keys of lines
};

struct Draft {
  Program header; // everything but ranks, instructions, accesses and waits
  std::vector<std::vector<Line>> ranks;
  int nextKey = 0;

  Line &append(int rank, const Instruction &instruction);
};

Draft draftOf(const Program &program);

// The Program of these lines; validate() accepts it. Waits on lines that are gone or do not stand earlier on the same
// rank are dropped, and members of a group that stand apart become groups of their own.
Program programOf(const Draft &draft);

// For messages: rank, place on it, opcode and whatever tells it from others, e.g. `rank 1 #3 send_activation s1 m0 to
// 2`.
std::string describe(const Program &program, InstructionId id);
// The whole Program, one line an instruction, with groups, waits and slots.
std::string describe(const Program &program);

} // namespace plumbline::oracle
