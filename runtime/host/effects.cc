#include "runtime/host/effects.h"

#include <algorithm>
#include <cstring>

namespace plumbline::runtime {
namespace {

// As a float not a number, as an index far beyond everything.
constexpr unsigned char spoiled = 0xff;

} // namespace

HostEffects::HostEffects(const Plan &plan, const RunPlan &run, llvm::ArrayRef<std::unique_ptr<RankWork>> ranks)
    : plan_(plan), run_(run), ranks_(ranks), ledger_(*plan.program, Report::atWrite),
      spans_(plan.program->instructions.size()), kept_(plan.program->instructions.size()) {
  for (InstructionIndex i = 0; i < plan.ports.size(); ++i)
    if (plan.ports[i].channel != none && plan.channels[plan.ports[i].channel].buffered)
      if (const BoundMessage *message = run.binding.message(i); message && isSend(plan.instruction(i).opcode))
        kept_[i].resize(message->bytes);
}

void HostEffects::reset(bool watch, Trip trip) {
  watch_ = watch;
  trip_ = std::move(trip);
  start_ = Clock::now();
  std::fill(spans_.begin(), spans_.end(), Span());
  if (!watch_)
    return;
  ledger_.reset();
  if (trip_)
    for (std::size_t r = 0; r < ranks_.size(); ++r)
      std::memset(ranks_[r]->at({0}), spoiled, run_.binding.ranks[r].slotBytes);
}

void HostEffects::spoil(std::uint32_t slot, std::int32_t rank) {
  std::memset(ranks_[static_cast<std::size_t>(rank)]->at(run_.binding.slots[slot]), spoiled,
              run_.binding.slotBytes[slot]);
}

void HostEffects::began(InstructionIndex i) {
  if (needsOthers(plan_.instruction(i)))
    spans_[i].begin = now();
  if (!watch_)
    return;
  const std::optional<Violation> violation = ledger_.begin(InstructionId(static_cast<std::int32_t>(i)));
  if (violation && trip_)
    trip_(i, describe(*plan_.program, *violation));
}

void HostEffects::completed(InstructionIndex i) {
  if (needsOthers(plan_.instruction(i)))
    spans_[i].end = now();
  if (!watch_)
    return;
  llvm::SmallVector<std::uint32_t, 4> dead;
  ledger_.complete(InstructionId(static_cast<std::int32_t>(i)), dead);
  if (trip_)
    for (const std::uint32_t slot : dead)
      spoil(slot, plan_.instruction(i).rank.value());
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
