#include "verifier/compare/figures.h"

#include "verifier/ir/text.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <array>
#include <map>

namespace plumbline::compare {
namespace {

using report::Report;
using PoolKey = std::pair<RankId, std::string>;
using Side = Figure Pair::*; // which of the two is filled in

struct Slots {
  Figure declared, least;
};

// What of a pool is not counted is not used, unless it was not counted because the program hangs or time ran out.
std::vector<Figure> leastSlots(const Report &report) {
  const Program &program = report.program;
  const bool finishes = report.verification.finishes;
  std::vector<Figure> least(program.pools.size(), knownFigure(0));
  for (const SlotAccess &access : program.accesses)
    least[static_cast<std::size_t>(access.pool.value())] = {
        finishes ? Figure::State::unknown : Figure::State::unfinished, 0};
  for (const check::SlotCount &count : report.verification.slots)
    if (count.least >= 0)
      least[static_cast<std::size_t>(count.pool.value())] = knownFigure(count.least);
  return least;
}

// Pools of one rank with one name count as one.
void addTo(Figure &sum, const Figure &more) {
  if (sum.state == Figure::State::none || (sum.known() && !more.known() && more.state != Figure::State::none))
    sum = more;
  else if (sum.known() && more.known())
    sum.value += more.value;
}

std::map<PoolKey, Slots> slotsOf(const Report &report) {
  std::map<PoolKey, Slots> slots;
  const std::vector<Figure> least = leastSlots(report);
  for (const auto &[k, pool] : llvm::enumerate(report.program.pools)) {
    Slots &entry = slots[{pool.rank, pool.name}];
    addTo(entry.least, least[k]);
    if (pool.declared >= 0)
      addTo(entry.declared, knownFigure(pool.declared));
  }
  return slots;
}

std::vector<PoolFigures> poolsOf(const Report *base, const Report &next) {
  std::map<PoolKey, PoolFigures> pools;
  const auto add = [&](const Report &report, Side side, bool PoolFigures::*in) {
    for (const auto &[key, slots] : slotsOf(report)) {
      PoolFigures &figures = pools[key];
      figures.rank = key.first;
      figures.pool = key.second;
      figures.*in = true;
      figures.declared.*side = slots.declared;
      figures.least.*side = slots.least;
    }
  };
  if (base)
    add(*base, &Pair::base, &PoolFigures::inBase);
  add(next, &Pair::next, &PoolFigures::inNext);
  std::vector<PoolFigures> result;
  result.reserve(pools.size());
  for (auto &[key, figures] : pools)
    result.push_back(std::move(figures));
  return result;
}

std::vector<RankFigures> ranksOf(const Program *base, const Program &next) {
  std::vector<RankFigures> ranks;
  const auto add = [&](const Program &program, Side side) {
    const bool isNext = &program == &next;
    for (const auto &[rank, figure] : llvm::enumerate(mostInFlight(program))) {
      if (rank == ranks.size())
        ranks.push_back({RankId(static_cast<std::int32_t>(rank)), false, {}});
      ranks[rank].inNext |= isNext;
      ranks[rank].mostInFlight.*side = figure;
    }
  };
  if (base)
    add(*base, &Pair::base);
  add(next, &Pair::next);
  return ranks;
}

using OpcodeCounts = std::array<std::size_t, opcodeCount>;

OpcodeCounts countOpcodes(const Program *program, RankId rank) {
  OpcodeCounts counts{};
  if (program && rank.value() < program->rankCount())
    for (const Instruction &i : program->instructionsOf(rank))
      ++counts[static_cast<std::size_t>(i.opcode)];
  return counts;
}

std::vector<InstructionFigures> instructionsOf(const Program *base, const Program &next) {
  std::vector<InstructionFigures> result;
  const std::int32_t ranks = std::max(base ? base->rankCount() : 0, next.rankCount());
  for (std::int32_t r = 0; r < ranks; ++r) {
    const OpcodeCounts before = countOpcodes(base, RankId(r)), after = countOpcodes(&next, RankId(r));
    for (std::size_t o = 0; o < before.size(); ++o)
      if (before[o] != after[o])
        result.push_back({RankId(r), static_cast<Opcode>(o), before[o], after[o]});
  }
  return result;
}

void addSizes(const Program &base, const Program &next, std::vector<SizeDifference> &differences) {
  const auto add = [&](const char *what, std::int32_t Program::*size) {
    if (base.*size != next.*size)
      differences.push_back({what, std::to_string(base.*size), std::to_string(next.*size)});
  };
  if (base.rankCount() != next.rankCount())
    differences.push_back({"ranks", std::to_string(base.rankCount()), std::to_string(next.rankCount())});
  if (base.stageCount() != next.stageCount())
    differences.push_back({"stages", std::to_string(base.stageCount()), std::to_string(next.stageCount())});
  add("microbatches", &Program::microbatches);
  add("replicas", &Program::replicas);
  if (base.mode != next.mode)
    differences.push_back({"mode", name(base.mode).str(), name(next.mode).str()});
}

void addModels(const model::Options &base, const model::Options &next, std::vector<SizeDifference> &differences) {
  const report::ModelWords before = report::wordsOf(base), after = report::wordsOf(next);
  const auto add = [&](const char *what, const std::string &a, const std::string &b) {
    if (a != b)
      differences.push_back({what, a, b});
  };
  add("model", before.name, after.name);
  add("comms", before.comms, after.comms);
  add("room", before.room, after.room);
  add("group", before.group, after.group);
  add("connect", before.connect, after.connect);
  add("wait", before.wait, after.wait);
  add("streams", before.streams, after.streams);
}

void addRooms(llvm::ArrayRef<RoomFigures> rooms, std::vector<SizeDifference> &differences) {
  for (const RoomFigures &room : rooms)
    differences.push_back(
        {"room of communicator " + inQuotes(room.communicator), std::to_string(room.base), std::to_string(room.next)});
}

bool hasErrors(const Report &report) { return report.verification.verdict == check::Verdict::rejected; }

Figures figuresOf(const Report *base, const Report &next) {
  Figures figures;
  figures.pools = poolsOf(base, next);
  figures.ranks = ranksOf(base ? &base->program : nullptr, next.program);
  figures.instructions = instructionsOf(base ? &base->program : nullptr, next.program);
  figures.nextInstructions = next.program.instructions.size();
  figures.bubble.next = next.timeline->bubble;
  figures.nextFinishes = next.verification.finishes;
  figures.nextHasErrors = hasErrors(next);
  if (!base)
    return figures;
  figures.baseInstructions = base->program.instructions.size();
  figures.bubble.base = base->timeline->bubble;
  figures.baseFinishes = base->verification.finishes;
  figures.baseHasErrors = hasErrors(*base);
  figures.bubble.baseUnknown = figures.baseFinishes && base->timeline->makespan > 0 && !figures.bubble.base;
  addSizes(base->program, next.program, figures.differences);
  figures.sameSizes = figures.differences.empty();
  addModels(base->model, next.model, figures.differences);
  figures.rooms = roomsThatDiffer(*base, next);
  addRooms(figures.rooms, figures.differences);
  return figures;
}

} // namespace

Figure knownFigure(std::int64_t value) { return {Figure::State::known, value}; }

std::string words(const Figure &figure) {
  return figure.known() ? std::to_string(figure.value) : figure.state == Figure::State::unknown ? "?" : "-";
}

Figures figuresOf(const Report &base, const Report &next) { return figuresOf(&base, next); }

Figures figuresOf(const Report &next) { return figuresOf(nullptr, next); }

std::vector<Figure> mostInFlight(const Program &program) {
  const auto ranks = static_cast<std::size_t>(program.rankCount());
  if (llvm::none_of(program.instructions, [](const Instruction &i) { return isBackward(i.opcode); }))
    return std::vector<Figure>(ranks);
  std::vector<Figure> most(ranks, knownFigure(0));
  for (std::size_t r = 0; r < ranks; ++r) {
    llvm::DenseSet<std::pair<std::int32_t, std::int32_t>> flying; // stage and microbatch
    for (const Instruction &i : program.instructionsOf(RankId(static_cast<std::int32_t>(r)))) {
      const std::pair<std::int32_t, std::int32_t> work(i.stage.value(), i.microbatch.value());
      if (i.opcode == Opcode::forward)
        flying.insert(work);
      else if (i.opcode == Opcode::backward || i.opcode == Opcode::backward_weight)
        flying.erase(work);
      most[r].value = std::max(most[r].value, static_cast<std::int64_t>(flying.size()));
    }
  }
  return most;
}

} // namespace plumbline::compare
