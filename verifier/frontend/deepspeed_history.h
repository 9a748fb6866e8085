// Which microbatch each DeepSpeed instruction works on, from the history of its stage's buffers.
#pragma once

#include "verifier/frontend/deepspeed_text.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace plumbline::frontend::deepspeed {

// Follows the buffers of one stage. A buffer may hold several microbatches at once in the eyes of the schedule; only
// one of them is really there, and finding that out is the checker's work. So each instruction is given the microbatch
// that its author must have meant: see microbatchOf.
class BufferHistory {
public:
  // `loadsInput`: LoadMicroBatch fills the stage's input (first stage); else it brings labels.
  explicit BufferHistory(bool loadsInput) : loadsInput_(loadsInput) {}

  // The microbatch of the stage's next instruction; call once for each, in order.
  //   a load or received activation: the k-th of its kind brings microbatch k;
  //   ForwardPass: the one that came into the buffer last and was not yet forwarded;
  //   SendActivation, RecvGrad, BackwardPass: the one that was forwarded last and still waits for this instruction;
  //   SendGrad: the one that was differentiated first and not yet sent. (First, because a receive may have put the next
  //   one into the buffer, as in DeepSpeed issue 2800.)
  // If there is none, the k-th instruction of a kind is taken to work on microbatch k. Amortised constant.
  std::int32_t microbatchOf(const Line &instruction);

private:
  struct Buffer {
    std::vector<std::int32_t> arrived;          // not forwarded
    std::vector<std::int32_t> unsent;           // forwarded, activation not sent
    std::vector<std::int32_t> awaitingGradient; // forwarded, gradient not received
    std::vector<std::int32_t> forwarded;        // forwarded, not differentiated
    std::vector<std::int32_t> differentiated;   // oldest first; the first `sent` have been sent
    std::size_t sent = 0;
  };

  void forward(Buffer &of, std::int32_t microbatch);
  std::int32_t differentiate(Buffer &of, std::int32_t otherwise);
  std::int32_t receiveGradient(Buffer &of, std::int32_t otherwise);

  bool loadsInput_;
  std::array<std::int32_t, opcodeCount> seen_{};
  llvm::DenseMap<std::int32_t, Buffer> buffers_;
  llvm::DenseSet<std::int32_t> done_; // microbatches differentiated
};

} // namespace plumbline::frontend::deepspeed
