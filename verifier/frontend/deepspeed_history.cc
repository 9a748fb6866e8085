#include "verifier/frontend/deepspeed_history.h"

namespace plumbline::frontend::deepspeed {
namespace {

std::int32_t takeLast(std::vector<std::int32_t> &from, std::int32_t otherwise) {
  if (from.empty())
    return otherwise;
  const std::int32_t last = from.back();
  from.pop_back();
  return last;
}

} // namespace

void BufferHistory::forward(Buffer &of, std::int32_t microbatch) {
  of.unsent.push_back(microbatch);
  of.awaitingGradient.push_back(microbatch);
  of.forwarded.push_back(microbatch);
}

std::int32_t BufferHistory::differentiate(Buffer &of, std::int32_t otherwise) {
  const std::int32_t microbatch = takeLast(of.forwarded, otherwise);
  of.differentiated.push_back(microbatch);
  done_.insert(microbatch);
  return microbatch;
}

std::int32_t BufferHistory::receiveGradient(Buffer &of, std::int32_t otherwise) {
  // A backward pass that did not wait for its gradient leaves its entry behind.
  while (!of.awaitingGradient.empty() && done_.contains(of.awaitingGradient.back()))
    of.awaitingGradient.pop_back();
  return takeLast(of.awaitingGradient, otherwise);
}

std::int32_t BufferHistory::microbatchOf(const Line &instruction) {
  const std::int32_t ordinal = seen_[static_cast<std::size_t>(instruction.opcode)]++;
  Buffer &of = buffers_[instruction.buffer];
  switch (instruction.opcode) {
  case Opcode::load_microbatch:
    if (loadsInput_)
      of.arrived.push_back(ordinal);
    return ordinal;
  case Opcode::receive_activation:
    of.arrived.push_back(ordinal);
    return ordinal;
  case Opcode::forward: {
    const std::int32_t microbatch = takeLast(of.arrived, ordinal);
    forward(of, microbatch);
    return microbatch;
  }
  case Opcode::backward:
    return differentiate(of, ordinal);
  case Opcode::send_activation:
    return takeLast(of.unsent, ordinal);
  case Opcode::receive_gradient:
    return receiveGradient(of, ordinal);
  case Opcode::send_gradient:
    return of.sent < of.differentiated.size() ? of.differentiated[of.sent++] : ordinal;
  default:
    return -1;
  }
}

} // namespace plumbline::frontend::deepspeed
