// What an instruction does, and the few facts about each opcode that every reader of a Program needs.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace plumbline {

enum class Opcode : std::uint8_t {
  load_microbatch,    // reads input data or labels into a slot
  forward,            // forward pass of one stage on one microbatch
  backward,           // full backward pass: gradients of input and weights
  backward_input,     // input half of a split backward pass (zero bubble's B; PyTorch's I)
  backward_weight,    // weight half of a split backward pass (W)
  recompute,          // runs the forward again to rebuild dropped activations
  compute,            // work that the input names but does not describe
  send_activation,    // output of a stage, to the next stage
  receive_activation, // input of a stage, from the previous stage
  send_gradient,      // gradient of a stage's input, to the previous stage
  receive_gradient,   // gradient of a stage's output, from the next stage
  send_message,       // any other tensor, named by a label
  receive_message,
  broadcast,             // collective on a two-rank group, as DeepSpeed before 0.4 moved activations; peer is the root
  all_reduce,            // a collective without a part in the schedule's data flow (data-parallel traffic and the like)
  unshard,               // gathers the stage's full parameters
  reshard,               // drops the gathered parameters
  reduce_gradients,      // data-parallel reduction of one stage's gradients
  reduce_tied_gradients, // reduction of gradients of parameters that several stages share
  optimizer_step,        // of the rank at the end of a step; with a microbatch: makes a new weight version of one stage
  stash_weights, // keeps the newest weight version of a stage for a microbatch (PipeDream, 2BW); it picks nothing
  pick_weights,  // makes the version that was kept for a microbatch current; passes compute with the current one
};
inline constexpr int opcodeCount = static_cast<int>(Opcode::pick_weights) + 1;

// The opcode's name in `.pir`, e.g. "send_activation". Total.
llvm::StringRef name(Opcode opcode);
// The opcode of that name, or nothing.
std::optional<Opcode> opcodeFromName(llvm::StringRef text);

constexpr bool isSend(Opcode o) {
  return o == Opcode::send_activation || o == Opcode::send_gradient || o == Opcode::send_message;
}
constexpr bool isReceive(Opcode o) {
  return o == Opcode::receive_activation || o == Opcode::receive_gradient || o == Opcode::receive_message;
}
constexpr bool isPointToPoint(Opcode o) { return isSend(o) || isReceive(o); }
// Whether the other end of the message works on the stage behind, or before, the one that the instruction names.
constexpr bool facesNextStage(Opcode o) { return o == Opcode::send_activation || o == Opcode::receive_gradient; }
constexpr bool facesPreviousStage(Opcode o) { return o == Opcode::receive_activation || o == Opcode::send_gradient; }
constexpr bool isBackward(Opcode o) {
  return o == Opcode::backward || o == Opcode::backward_input || o == Opcode::backward_weight;
}
// The receive that takes what a send sends; only for sends.
constexpr Opcode receiveOf(Opcode send) {
  return send == Opcode::send_activation ? Opcode::receive_activation
         : send == Opcode::send_gradient ? Opcode::receive_gradient
                                         : Opcode::receive_message;
}

} // namespace plumbline
