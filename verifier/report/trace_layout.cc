#include "verifier/report/trace_layout.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <tuple>

namespace plumbline::report {
namespace {

using check::Timeline;

// Instructions of one lane that run at once: one, or the members of a launch.
struct Block {
  std::size_t first = 0, count = 0; // in the lane
};

struct Lane {
  std::vector<Block> blocks;
  std::size_t next = 0;    // the first block whose ends are not known
  bool begun = false;      // are its begins?
  std::int64_t cursor = 0; // where it may begin
};

std::size_t indexOf(InstructionId i) { return static_cast<std::size_t>(i.value()); }

class Layouter {
public:
  Layouter(const Program &program, const Timeline &timeline, TraceLayout &layout)
      : program_(program), timeline_(timeline), layout_(layout) {}

  // Lanes go on as far as they can, and wait where a receive is reached before its send. That ends, since every
  // receive that ends does so after the begin of its send.
  void run() {
    prepare();
    std::vector<std::uint32_t> ready;
    for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane)
      ready.push_back(lane);
    while (!ready.empty()) {
      const std::uint32_t lane = ready.back();
      ready.pop_back();
      advance(lane, ready);
    }
    assert(llvm::all_of(lanes_, [](const Lane &lane) { return lane.next == lane.blocks.size(); }));
    endWhatIsStuck();
  }

private:
  void prepare() {
    const std::size_t count = program_.instructions.size();
    layout_.begin.assign(count, -1);
    layout_.end.assign(count, -1);
    waiter_.assign(count, none);
    lanes_.resize(timeline_.lanes.size());
    layout_.lanes.resize(timeline_.lanes.size());
    for (std::size_t k = 0; k < count; ++k)
      if (timeline_.begin[k] >= 0)
        layout_.lanes[timeline_.laneOf[k]].push_back(InstructionId(static_cast<std::int32_t>(k)));
    for (const auto &[lane, instructions] : llvm::zip_equal(lanes_, layout_.lanes))
      makeBlocks(instructions, lane);
  }

  void makeBlocks(std::vector<InstructionId> &instructions, Lane &lane) const {
    for (std::size_t first = 0; first < instructions.size();) {
      std::size_t end = first + 1;
      while (end < instructions.size() && runTogether(instructions[first], instructions[end]))
        ++end;
      std::sort(instructions.begin() + static_cast<std::ptrdiff_t>(first),
                instructions.begin() + static_cast<std::ptrdiff_t>(end), [&](InstructionId a, InstructionId b) {
                  return std::make_tuple(trueBegin(a), -trueEnd(a), a) < std::make_tuple(trueBegin(b), -trueEnd(b), b);
                });
      lane.blocks.push_back({first, end - first});
      first = end;
    }
  }

  // Members of an overlap of computations take turns.
  [[nodiscard]] bool runTogether(InstructionId a, InstructionId b) const {
    const GroupId group = program_.at(a).group;
    return group.valid() && group == program_.at(b).group && program_.at(a).communicator.valid() &&
           program_.at(b).communicator.valid();
  }

  void advance(std::uint32_t number, std::vector<std::uint32_t> &ready) {
    Lane &lane = lanes_[number];
    for (; lane.next < lane.blocks.size(); ++lane.next) {
      const auto members = membersOf(number, lane.next);
      if (!lane.begun)
        begin(members, lane.cursor, ready);
      lane.begun = true;
      for (const InstructionId i : members)
        if (const InstructionId send = sendOf(i); send.valid() && layout_.begin[indexOf(send)] < 0) {
          waiter_[indexOf(send)] = number;
          return;
        }
      lane.cursor = end(members, 0);
      lane.begun = false;
    }
  }

  void begin(llvm::ArrayRef<InstructionId> members, std::int64_t earliest, std::vector<std::uint32_t> &ready) {
    for (const InstructionId i : members) {
      const std::int64_t at = std::max(earliest, trueBegin(i));
      layout_.begin[indexOf(i)] = at;
      earliest = at + TraceLayout::step;
      if (const std::uint32_t lane = waiter_[indexOf(i)]; lane != none)
        ready.push_back(lane);
    }
  }

  // From the inside out. `open` is where those end that never end. Returns the end of the outermost.
  std::int64_t end(llvm::ArrayRef<InstructionId> members, std::int64_t open) {
    std::int64_t earliest = 0;
    for (const InstructionId i : llvm::reverse(members)) {
      std::int64_t at = std::max(earliest, layout_.begin[indexOf(i)] + TraceLayout::shortest);
      at = std::max(at, timeline_.end[indexOf(i)] < 0 ? open : trueEnd(i));
      if (const InstructionId send = sendOf(i); send.valid())
        at = std::max(at, layout_.begin[indexOf(send)] + TraceLayout::shortest);
      layout_.end[indexOf(i)] = at;
      earliest = at + TraceLayout::step;
    }
    return earliest - TraceLayout::step;
  }

  void endWhatIsStuck() {
    std::int64_t last = inMicroseconds(timeline_.makespan, timeline_.costs);
    for (const std::int64_t at : layout_.end)
      last = std::max(last, at);
    for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane)
      if (!lanes_[lane].blocks.empty()) {
        const auto members = membersOf(lane, lanes_[lane].blocks.size() - 1);
        if (llvm::any_of(members, [&](InstructionId i) { return timeline_.end[indexOf(i)] < 0; }))
          end(members, last + TraceLayout::unit);
      }
  }

  [[nodiscard]] llvm::ArrayRef<InstructionId> membersOf(std::uint32_t lane, std::size_t block) const {
    const Block &b = lanes_[lane].blocks[block];
    return llvm::ArrayRef(layout_.lanes[lane]).slice(b.first, b.count);
  }

  // What the end of this instruction waits for, if it is a receive that ends.
  [[nodiscard]] InstructionId sendOf(InstructionId i) const {
    return isReceive(program_.at(i).opcode) && timeline_.end[indexOf(i)] >= 0 ? timeline_.partner[indexOf(i)]
                                                                              : InstructionId();
  }

  [[nodiscard]] std::int64_t trueBegin(InstructionId i) const {
    return inMicroseconds(timeline_.begin[indexOf(i)], timeline_.costs);
  }
  [[nodiscard]] std::int64_t trueEnd(InstructionId i) const {
    const std::int64_t end = timeline_.end[indexOf(i)];
    return end < 0 ? std::numeric_limits<std::int64_t>::max() : inMicroseconds(end, timeline_.costs);
  }

  static constexpr auto none = std::numeric_limits<std::uint32_t>::max();

  const Program &program_;
  const Timeline &timeline_;
  TraceLayout &layout_;
  std::vector<Lane> lanes_;
  std::vector<std::uint32_t> waiter_; // per send: the lane that waits for its begin
};

} // namespace

std::int64_t inMicroseconds(std::int64_t ticks, const model::Costs &costs) {
  return ticks / costs.ticksPerUnit * TraceLayout::unit +
         ticks % costs.ticksPerUnit * TraceLayout::unit / costs.ticksPerUnit;
}

TraceLayout layOut(const Program &program, const check::Timeline &timeline) {
  TraceLayout layout;
  Layouter(program, timeline, layout).run();
  return layout;
}

} // namespace plumbline::report
