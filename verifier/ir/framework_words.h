// What the frameworks call the opcodes: for reading and writing their files, and for messages about them.
#pragma once

#include "verifier/ir/opcode.h"

#include <optional>

namespace plumbline {

// The instruction's name in DeepSpeed's lists, e.g. "ForwardPass"; null if its engine has none.
// Source: deepspeed/runtime/pipe/schedule.py, the subclasses of PipeInstruction.
const char *deepSpeedWord(Opcode opcode);
std::optional<Opcode> opcodeFromDeepSpeedWord(llvm::StringRef word);

// The letters of a cell of PyTorch's tables, e.g. "SEND_F"; null if there is no such cell.
// Source: _ComputationType in torch/distributed/pipelining/schedules.py.
const char *pytorchWord(Opcode opcode);
std::optional<Opcode> opcodeFromPyTorchWord(llvm::StringRef word);

} // namespace plumbline
