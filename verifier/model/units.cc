#include "verifier/model/units.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <utility>

namespace plumbline::model {
namespace {

// A run of instructions of one group, or one instruction that has none.
struct Run {
  std::uint32_t first = 0, end = 0; // within the rank
  bool communicates = false;
};

Run runAt(llvm::ArrayRef<Instruction> rank, std::uint32_t first) {
  Run run{first, first + 1, isCommunication(rank[first])};
  for (; rank[first].group.valid() && run.end < rank.size() && rank[run.end].group == rank[first].group; ++run.end)
    run.communicates |= isCommunication(rank[run.end]);
  return run;
}

// How many members of the run, from `next` on, form one unit. Only launches are taken apart; computations that overlap
// stay together. The plan limit is NCCL's: a launch with very many operations is cut into consecutive kernel plans
// (corpus/field/NCCL_FACTS.md, G3).
std::uint32_t pieceOf(const Run &run, std::uint32_t next, const Options &options) {
  const std::uint32_t rest = run.end - next;
  if (!run.communicates)
    return rest;
  if (options.grouping == Grouping::none)
    return 1;
  return options.plan > 0 ? std::min(rest, static_cast<std::uint32_t>(options.plan)) : rest;
}

class LaneTable {
public:
  explicit LaneTable(const Options &options) : single_(options.kind == Kind::blocking) {}

  void beginRank() { ofCommunicator_.clear(); }
  std::uint32_t laneOf(const Instruction &instruction) {
    const CommunicatorId communicator =
        single_ || !isCommunication(instruction) ? CommunicatorId() : instruction.communicator;
    const auto [entry, isNew] =
        ofCommunicator_.try_emplace(communicator.value(), static_cast<std::uint32_t>(communicators.size()));
    if (isNew)
      communicators.push_back(communicator);
    return entry->second;
  }

  std::vector<CommunicatorId> communicators;

private:
  bool single_;
  llvm::SmallDenseMap<std::int32_t, std::uint32_t, 8> ofCommunicator_;
};

struct Place {
  std::uint32_t lane;
  UnitIndex unit;
};

// `places`: where each unit stands, in issue order.
void sortIntoLanes(Units &result, llvm::ArrayRef<Place> places, std::vector<CommunicatorId> communicators) {
  result.laneOffsets.assign(communicators.size() + 1, 0);
  result.laneCommunicator = std::move(communicators);
  for (const Place &place : places)
    ++result.laneOffsets[place.lane + 1];
  for (std::size_t l = 1; l < result.laneOffsets.size(); ++l)
    result.laneOffsets[l] += result.laneOffsets[l - 1];
  std::vector<std::uint32_t> next(result.laneOffsets.begin(), result.laneOffsets.end() - 1);
  result.laneUnits.resize(places.size());
  for (const Place &place : places) {
    Unit &unit = result.units[place.unit];
    if (unit.lane == place.lane)
      unit.positionInLane = next[place.lane] - result.laneOffsets[place.lane];
    result.laneUnits[next[place.lane]++] = place.unit;
  }
}

} // namespace

bool isCollective(const Instruction &i) {
  switch (i.opcode) {
  case Opcode::broadcast:
  case Opcode::all_reduce:
  case Opcode::unshard:
  case Opcode::reshard:
  case Opcode::reduce_gradients:
  case Opcode::reduce_tied_gradients:
    return i.communicator.valid();
  default:
    return false;
  }
}

bool isCommunication(const Instruction &i) { return isPointToPoint(i.opcode) || isCollective(i); }

std::uint32_t Units::sharedLane(UnitIndex a, UnitIndex b) const {
  const auto standsIn = [&](UnitIndex unit, std::uint32_t lane) {
    return std::binary_search(laneUnits.begin() + laneOffsets[lane], laneUnits.begin() + laneOffsets[lane + 1], unit);
  };
  const std::uint32_t lanes[] = {units[a].lane, units[b].lane};
  for (const std::uint32_t lane : lanes)
    if (standsIn(a, lane) && standsIn(b, lane))
      return lane;
  for (std::uint32_t lane = 0; lane < laneCount(); ++lane)
    if (standsIn(a, lane) && standsIn(b, lane))
      return lane;
  return noIndex;
}

Units makeUnits(const Program &program, const Options &options) {
  Units result;
  result.unitOf.resize(program.instructions.size());
  result.units.reserve(program.instructions.size());
  LaneTable lanes(options);
  std::vector<Place> places;
  places.reserve(program.instructions.size());
  std::vector<UnitIndex> lastIn; // per lane: the unit at its end so far
  for (const auto &[r, rankProgram] : llvm::enumerate(program.ranks)) {
    const RankId rank(static_cast<std::int32_t>(r));
    const llvm::ArrayRef<Instruction> rows = program.instructionsOf(rank);
    const std::uint32_t base = rankProgram.instructions.first;
    result.rankOffsets.push_back(static_cast<std::uint32_t>(result.units.size()));
    lanes.beginRank();
    Run run;
    for (std::uint32_t i = 0; i < rows.size();) {
      if (i == run.end)
        run = runAt(rows, i);
      Unit unit;
      unit.firstInstruction = base + i;
      unit.memberCount = pieceOf(run, i, options);
      unit.rank = rank;
      unit.lane = lanes.laneOf(rows[i]);
      const auto index = static_cast<UnitIndex>(result.units.size());
      for (std::uint32_t m = 0; m < unit.memberCount; ++m) {
        unit.communicates |= isCommunication(rows[i + m]);
        result.unitOf[base + i + m] = index;
        const std::uint32_t lane = lanes.laneOf(rows[i + m]);
        lastIn.resize(lanes.communicators.size(), noIndex);
        if (std::exchange(lastIn[lane], index) != index)
          places.push_back({lane, index});
      }
      i += unit.memberCount;
      result.units.push_back(unit);
    }
  }
  result.rankOffsets.push_back(static_cast<std::uint32_t>(result.units.size()));
  sortIntoLanes(result, places, std::move(lanes.communicators));
  return result;
}

} // namespace plumbline::model
