#include "verifier/ir/framework_words.h"

namespace plumbline {
namespace {

struct Word {
  Opcode opcode;
  const char *text;
};

constexpr Word deepSpeedWords[] = {
    {Opcode::load_microbatch, "LoadMicroBatch"},
    {Opcode::forward, "ForwardPass"},
    {Opcode::backward, "BackwardPass"},
    {Opcode::send_activation, "SendActivation"},
    {Opcode::receive_activation, "RecvActivation"},
    {Opcode::send_gradient, "SendGrad"},
    {Opcode::receive_gradient, "RecvGrad"},
    {Opcode::reduce_tied_gradients, "ReduceTiedGrads"},
    {Opcode::reduce_gradients, "ReduceGrads"},
    {Opcode::optimizer_step, "OptimizerStep"},
};

constexpr Word pytorchWords[] = {
    {Opcode::forward, "F"},
    {Opcode::backward, "B"},
    {Opcode::backward_input, "I"},
    {Opcode::backward_weight, "W"},
    {Opcode::send_activation, "SEND_F"},
    {Opcode::receive_activation, "RECV_F"},
    {Opcode::send_gradient, "SEND_B"},
    {Opcode::receive_gradient, "RECV_B"},
    {Opcode::unshard, "UNSHARD"},
    {Opcode::reshard, "RESHARD"},
    {Opcode::reduce_gradients, "REDUCE_GRAD"},
};

template <std::size_t count> const char *find(const Word (&words)[count], Opcode opcode) {
  for (const Word &word : words)
    if (word.opcode == opcode)
      return word.text;
  return nullptr;
}

template <std::size_t count> std::optional<Opcode> find(const Word (&words)[count], llvm::StringRef text) {
  for (const Word &word : words)
    if (text == word.text)
      return word.opcode;
  return std::nullopt;
}

} // namespace

const char *deepSpeedWord(Opcode opcode) { return find(deepSpeedWords, opcode); }
std::optional<Opcode> opcodeFromDeepSpeedWord(llvm::StringRef word) { return find(deepSpeedWords, word); }

const char *pytorchWord(Opcode opcode) { return find(pytorchWords, opcode); }
std::optional<Opcode> opcodeFromPyTorchWord(llvm::StringRef word) { return find(pytorchWords, word); }

} // namespace plumbline
