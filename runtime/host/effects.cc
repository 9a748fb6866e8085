#include "runtime/host/effects.h"

#include <algorithm>
#include <cstring>

namespace plumbline::runtime {
namespace {

std::vector<RankWork *> pointersTo(llvm::ArrayRef<std::unique_ptr<RankWork>> ranks) {
  std::vector<RankWork *> pointers;
  for (const auto &rank : ranks)
    pointers.push_back(rank.get());
  return pointers;
}

} // namespace

HostEffects::HostEffects(const Plan &plan, const RunPlan &run, llvm::ArrayRef<std::unique_ptr<RankWork>> ranks)
    : plan_(plan), run_(run), ranks_(ranks), watch_(plan, run, pointersTo(ranks)),
      kept_(plan.program->instructions.size()) {
  for (InstructionIndex i = 0; i < plan.ports.size(); ++i)
    if (plan.ports[i].channel != none && plan.channels[plan.ports[i].channel].buffered)
      if (const BoundMessage *message = run.binding.message(i); message && isSend(plan.instruction(i).opcode))
        kept_[i].resize(message->bytes);
}

// Where both ends have slots; of unlike sizes as much as fits, as NCCL would (rule PL204 is about that).
void HostEffects::move(const void *from, InstructionIndex send, InstructionIndex receive) {
  const BoundMessage *out = run_.binding.message(send), *in = run_.binding.message(receive);
  if (out->place.valid() && in->place.valid())
    std::memcpy(work(receive).at(in->place), from, std::min(out->bytes, in->bytes));
}

void HostEffects::transfer(InstructionIndex send, InstructionIndex receive) {
  const Place place = run_.binding.message(send)->place;
  move(place.valid() ? work(send).at(place) : nullptr, send, receive);
}

void HostEffects::keep(InstructionIndex send) {
  const BoundMessage *out = run_.binding.message(send);
  if (out->place.valid())
    std::memcpy(kept_[send].data(), work(send).at(out->place), out->bytes);
}

void HostEffects::deliver(InstructionIndex send, InstructionIndex receive) { move(kept_[send].data(), send, receive); }

void HostEffects::carryOut(const Collective &collective) {
  const Opcode opcode = plan_.instruction(collective.members.front()).opcode;
  if (opcode == Opcode::broadcast)
    broadcast(collective);
  else if (opcode == Opcode::reduce_gradients)
    sumGradients(collective);
}

void HostEffects::broadcast(const Collective &collective) {
  for (const InstructionIndex root : collective.members) {
    if (plan_.instruction(root).peer != plan_.instruction(root).rank)
      continue;
    for (const InstructionIndex member : collective.members)
      if (member != root)
        transfer(root, member);
    return;
  }
}

// The gradients of the members' stages become their sum, added up in order of rank.
void HostEffects::sumGradients(const Collective &collective) {
  DeviceMemory *sum = nullptr;
  const auto gradientsOf = [&](InstructionIndex i) -> DeviceMemory * {
    const auto found = work(i).stages().find(plan_.instruction(i).stage);
    return found == work(i).stages().end() ? nullptr : &found->second.gradients;
  };
  for (const InstructionIndex member : collective.members)
    if (DeviceMemory *own = gradientsOf(member)) {
      if (!sum) {
        sum = own;
        continue;
      }
      auto *to = static_cast<float *>(sum->data());
      const auto *from = static_cast<const float *>(own->data());
      for (std::size_t k = 0; k < std::min(sum->bytes(), own->bytes()) / sizeof(float); ++k)
        to[k] += from[k];
    }
  for (const InstructionIndex member : collective.members)
    if (DeviceMemory *own = gradientsOf(member); own && own != sum)
      std::memcpy(own->data(), sum->data(), std::min(sum->bytes(), own->bytes()));
}

} // namespace plumbline::runtime
