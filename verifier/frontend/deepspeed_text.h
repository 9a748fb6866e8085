// The text of DeepSpeed's printed instruction lists, without its meaning (see deepspeed.h for that).
//
//   # stage 2 of 4, micro_batches 8, num_pipe_buffers 3
//   [RecvActivation(buffer_id=0), ForwardPass(buffer_id=0)]
//   step 1: []
//
// A header a stage, then a line a step as Python prints the step's list. A label that ends with a colon may stand
// before the list. Blank lines and other lines that start with `#` are skipped.
// Source: deepspeed/runtime/pipe/schedule.py (PipeInstruction.__repr__).
#pragma once

#include "verifier/frontend/source.h"
#include "verifier/ir/diagnostic.h"
#include "verifier/ir/opcode.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline::frontend::deepspeed {

// Of the instructions that the lists know; all but the reductions and the optimizer step name a buffer.
constexpr bool namesBuffer(Opcode opcode) {
  return opcode != Opcode::reduce_tied_gradients && opcode != Opcode::reduce_gradients &&
         opcode != Opcode::optimizer_step;
}

struct Line {
  Opcode opcode = Opcode::load_microbatch; // one that has a deepSpeedWord
  std::int32_t buffer = -1;                // -1: this instruction names none
  std::int32_t step = 0;                   // number of its list in the stage
  std::uint32_t line = 0;
  std::uint32_t column = 0; // of the instruction's name
};

struct StageList {
  std::int32_t buffers = 0; // num_pipe_buffers
  std::int32_t steps = 0;   // lists, empty ones included
  std::uint32_t line = 0;   // of the header
  std::vector<Line> instructions;
};

struct Lists {
  std::int32_t microbatches = 0;
  std::vector<StageList> stages; // by stage number; every one has been read
};

// Reads the text. Errors: malformed headers or lists, headers that disagree, a stage that is missing or there twice, a
// number out of bounds. Linear.
Result<Lists> readLists(const Source &file);

} // namespace plumbline::frontend::deepspeed
