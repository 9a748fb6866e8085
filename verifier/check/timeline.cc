#include "verifier/check/timeline.h"

#include "verifier/check/slot_history.h"
#include "verifier/model/event_graph.h"
#include "verifier/model/order.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace plumbline::check {
namespace {

InstructionId idOf(std::size_t k) { return InstructionId(static_cast<std::int32_t>(k)); }

class TimelineMaker {
public:
  TimelineMaker(const Program &program, const model::EventGraph &graph, const model::Order &order, Timeline &timeline)
      : program_(program), graph_(graph), order_(order), timeline_(timeline) {}

  void addTimes() {
    const model::Times times(program_, graph_, order_, timeline_.costs);
    timeline_.makespan = times.makespan();
    timeline_.begin.reserve(program_.instructions.size());
    timeline_.end.reserve(program_.instructions.size());
    for (std::size_t k = 0; k < program_.instructions.size(); ++k) {
      timeline_.begin.push_back(times.begin(idOf(k)));
      timeline_.end.push_back(times.end(idOf(k)));
    }
    if (order_.complete(graph_) && times.makespan() > 0)
      timeline_.bubble = bubbleOf(program_, times, timeline_.costs);
  }

  // An instruction in a launch on several communicators stands in its own one's lane, not in the launch's first.
  void addLanes() {
    const model::Units &units = graph_.units;
    std::vector<RankId> rankOf(units.laneCount());
    for (std::uint32_t lane = 0; lane < units.laneCount(); ++lane)
      rankOf[lane] = units.units[units.laneUnits[units.laneOffsets[lane]]].rank;
    timeline_.laneOf.resize(program_.instructions.size());
    std::vector<std::uint32_t> lanes(units.laneCount());
    for (std::uint32_t lane = 0; lane < units.laneCount(); ++lane)
      lanes[lane] = lane;
    llvm::stable_sort(lanes, [&](std::uint32_t a, std::uint32_t b) { return rankOf[a] < rankOf[b]; });
    for (const auto &[place, lane] : llvm::enumerate(lanes)) {
      timeline_.lanes.push_back({rankOf[lane], units.laneCommunicator[lane]});
      for (std::uint32_t k = units.laneOffsets[lane]; k < units.laneOffsets[lane + 1]; ++k)
        placeMembers(units.units[units.laneUnits[k]], lane, static_cast<std::uint32_t>(place));
    }
  }

  void addLives(llvm::ArrayRef<SlotCount> slots) {
    std::vector<std::int32_t> leastSlots(program_.accesses.size(), -1);
    llvm::DenseSet<std::pair<std::int32_t, std::int32_t>> witness; // pool and instruction
    for (const SlotCount &count : slots) {
      for (const SlotPlace &place : count.places)
        leastSlots[place.access] = place.slot;
      for (const InstructionId birth : count.witness)
        witness.insert({count.pool.value(), birth.value()});
    }
    for (const PoolHistory &history : slotHistories(program_, graph_, order_))
      for (const Life &life : history.lives) {
        timeline_.lives.push_back(lifeOf(history, life, leastSlots));
        Timeline::Life &added = timeline_.lives.back();
        added.witness = llvm::any_of(life.instances, [&](std::uint32_t k) {
          return witness.contains({history.pool.value(), history.instances[k].writer.value()});
        });
      }
    llvm::stable_sort(timeline_.lives, [&](const Timeline::Life &a, const Timeline::Life &b) {
      return std::make_tuple(a.pool, a.slot, beginOf(a.birth)) < std::make_tuple(b.pool, b.slot, beginOf(b.birth));
    });
  }

private:
  [[nodiscard]] std::int64_t beginOf(InstructionId i) const {
    return timeline_.begin[static_cast<std::size_t>(i.value())];
  }
  [[nodiscard]] std::int64_t endOf(InstructionId i) const { return timeline_.end[static_cast<std::size_t>(i.value())]; }

  void placeMembers(const model::Unit &unit, std::uint32_t lane, std::uint32_t place) {
    const bool first = lane == unit.lane;
    for (std::uint32_t k = unit.firstInstruction; k < unit.firstInstruction + unit.memberCount; ++k)
      if (first || (model::isCommunication(program_.instructions[k]) &&
                    program_.instructions[k].communicator == graph_.units.laneCommunicator[lane]))
        timeline_.laneOf[k] = place;
  }

  [[nodiscard]] Timeline::Life lifeOf(const PoolHistory &history, const Life &life,
                                      llvm::ArrayRef<std::int32_t> leastSlots) const {
    Timeline::Life result;
    result.pool = history.pool;
    const Instance &first = history.instances[life.instances.front()];
    result.slot = first.access->slot;
    result.leastSlot = leastSlots[static_cast<std::size_t>(first.access - program_.accesses.data())];
    result.birth = result.last = first.writer;
    const auto use = [&](InstructionId i) {
      result.open |= endOf(i) < 0;
      if (endOf(i) >= endOf(result.last))
        result.last = i;
    };
    for (const std::uint32_t k : life.instances) {
      const Instance &instance = history.instances[k];
      use(instance.writer);
      for (const InstructionId reader : instance.readers)
        use(reader);
      result.open |= instance.readers.empty() || instance.readerBehindHang;
    }
    return result;
  }

  const Program &program_;
  const model::EventGraph &graph_;
  const model::Order &order_;
  Timeline &timeline_;
};

} // namespace

Timeline timelineOf(const Program &program, const model::Options &options, const model::Costs &costs,
                    llvm::ArrayRef<SlotCount> slots) {
  Timeline timeline;
  timeline.costs = costs;
  const model::EventGraph graph = model::buildEventGraph(program, options);
  const model::Order order = model::orderEvents(graph);
  TimelineMaker maker(program, graph, order, timeline);
  maker.addTimes();
  maker.addLanes();
  maker.addLives(slots);
  timeline.partner = graph.matching.partner;
  return timeline;
}

} // namespace plumbline::check
