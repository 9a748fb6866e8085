#include "verifier/ir/opcode.h"

#include <array>

namespace plumbline {
namespace {

constexpr std::array<const char *, opcodeCount> names = {
    "load_microbatch",
    "forward",
    "backward",
    "backward_input",
    "backward_weight",
    "recompute",
    "compute",
    "send_activation",
    "receive_activation",
    "send_gradient",
    "receive_gradient",
    "send_message",
    "receive_message",
    "broadcast",
    "all_reduce",
    "unshard",
    "reshard",
    "reduce_gradients",
    "reduce_tied_gradients",
    "optimizer_step",
    "stash_weights",
    "pick_weights",
};

} // namespace

llvm::StringRef name(Opcode opcode) { return names.at(static_cast<std::size_t>(opcode)); }

std::optional<Opcode> opcodeFromName(llvm::StringRef text) {
  for (int i = 0; i < opcodeCount; ++i)
    if (text == names[static_cast<std::size_t>(i)])
      return static_cast<Opcode>(i);
  return std::nullopt;
}

} // namespace plumbline
