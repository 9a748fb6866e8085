// Names of instructions and values in the words of the framework that the input comes from.
#pragma once

#include "verifier/ir/program.h"

#include <string>

namespace plumbline {

// "RecvActivation(buffer_id=0)" for DeepSpeed, "2RECV_F3" for the others.
std::string nameOf(const Program &program, InstructionId instruction);
// The same with its microbatch, rank and stage as far as the name does not tell them: "stage 2: SendGrad(buffer_id=0)
// of microbatch 4", "rank 1: 2RECV_F3".
std::string fullNameOf(const Program &program, InstructionId instruction);
// "stage 2", or "stage 2 of direction 1" where replicas share the ranks.
std::string nameOf(const Program &program, StageId stage);
// "the activation of microbatch 3", ... with the stage where `stage` is another one.
std::string nameOf(const Program &program, const Value &value, StageId stage);
// "inputs[0]"
std::string slotName(const Program &program, const SlotAccess &access);
// "1 slot", "2 slots"
std::string counted(std::size_t n, const char *noun);

} // namespace plumbline
