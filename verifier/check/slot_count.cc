#include "verifier/check/slot_count.h"

#include "verifier/check/antichain.h"
#include "verifier/ir/words.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

namespace plumbline::check {
namespace {

// Beyond this many lives with ends in several lanes the matching's table would not fit (n^2 bits, n^2 questions).
constexpr std::uint32_t most = 16'384;

class SlotCounter {
public:
  SlotCounter(const Context &context, const PoolHistory &history, const RankPrecedence &precedence, ChainClaims &claims)
      : context_(context), history_(history), precedence_(precedence), claims_(claims) {}

  SlotCount run() {
    const Pool &pool = context_.program.pools[static_cast<std::size_t>(history_.pool.value())];
    SlotCount result;
    result.pool = history_.pool;
    result.rank = pool.rank;
    result.declared = pool.declared;
    collectLives();
    ChainCover cover;
    if (oneLaneDecides()) {
      cover = coverByLane();
    } else if (spans_.size() <= most) {
      cover = coverByChains(static_cast<std::uint32_t>(spans_.size()),
                            [&](std::uint32_t a, std::uint32_t b) { return deadBefore(a, b, nullptr); });
    } else {
      context_.undecided.push_back("least slots of pool " + pool.name + " on rank " +
                                   std::to_string(pool.rank.value()) + ": more than " + std::to_string(most) +
                                   " values with ends in several lanes");
      return result;
    }
    claimChains(cover);
    const smt::Judgement together = proveTogether(cover.antichain);
    if (together.answer != smt::Answer::yes) {
      context_.undecided.push_back("least slots of pool " + pool.name + " on rank " +
                                   std::to_string(pool.rank.value()) + ": " + together.failure);
      return result;
    }
    result.least = static_cast<std::int32_t>(cover.chains.size());
    for (const std::uint32_t k : cover.antichain)
      result.witness.push_back(spans_[k].births.front());
    llvm::sort(result.witness);
    for (const auto &[slot, chain] : llvm::enumerate(cover.chains))
      for (const std::uint32_t life : chain)
        placeLife(life, static_cast<std::int32_t>(slot), result.places);
    return result;
  }

private:
  struct Span {
    llvm::SmallVector<InstructionId, 1> births;  // writes that no other write is known to precede; mostly one
    llvm::SmallVector<InstructionId, 4> touches; // all writers and readers
    llvm::SmallVector<InstructionId, 2> last;    // those that no other touch is known to follow
    bool neverDead = false;                      // its last value is never read
  };

  void collectLives() {
    spans_.resize(history_.lives.size());
    for (const auto &[k, life] : llvm::enumerate(history_.lives)) {
      Span &span = spans_[k];
      for (const std::uint32_t index : life.instances) {
        const Instance &instance = history_.instances[index];
        span.births.push_back(instance.writer);
        span.touches.push_back(instance.writer);
        span.touches.append(instance.readers.begin(), instance.readers.end());
        span.neverDead |= instance.readers.empty();
      }
      llvm::sort(span.touches);
      span.touches.erase(std::unique(span.touches.begin(), span.touches.end()), span.touches.end());
      const llvm::SmallVector<InstructionId, 4> writes(span.births.begin(), span.births.end());
      llvm::erase_if(span.births, [&](InstructionId write) {
        return llvm::any_of(writes, [&](InstructionId other) {
          return other != write && precedence_.doneBefore(other, write, nullptr);
        });
      });
      for (const InstructionId touch : span.touches)
        if (llvm::none_of(span.touches, [&](InstructionId other) {
              return other != touch && precedence_.doneBefore(touch, other, nullptr);
            }))
          span.last.push_back(touch);
    }
  }

  // A chain is a slot: every access of its lives goes there.
  void placeLife(std::uint32_t life, std::int32_t slot, std::vector<SlotPlace> &places) const {
    for (const std::uint32_t index : history_.lives[life].instances) {
      const Instance &instance = history_.instances[index];
      placeAccess(instance.writer, AccessMode::write, *instance.access, slot, places);
      for (const InstructionId reader : instance.readers)
        placeAccess(reader, AccessMode::read, *instance.access, slot, places);
    }
  }

  void placeAccess(InstructionId instruction, AccessMode mode, const SlotAccess &written, std::int32_t slot,
                   std::vector<SlotPlace> &places) const {
    const IndexRange range = context_.program.at(instruction).accesses;
    for (std::uint32_t a = range.first; a < range.first + range.count; ++a) {
      const SlotAccess &access = context_.program.accesses[a];
      if (access.mode == mode && access.pool == written.pool && access.slot == written.slot &&
          access.value == written.value)
        places.push_back({a, slot});
    }
  }

  // Done-before is transitive, so only the last touches of `a` need asking; claims name all of them.
  bool deadBefore(std::uint32_t a, std::uint32_t b, ChainClaims *claims) const {
    if (spans_[a].neverDead)
      return false;
    for (const InstructionId touch :
         claims ? llvm::ArrayRef<InstructionId>(spans_[a].touches) : llvm::ArrayRef<InstructionId>(spans_[a].last))
      for (const InstructionId birth : spans_[b].births)
        if (!precedence_.doneBefore(touch, birth, claims))
          return false;
    return true;
  }

  // All lives end in the same lane, one touch each: then they form an interval order along that lane.
  bool oneLaneDecides() {
    if (spans_.empty() || precedence_.needsMemberSearch())
      return spans_.empty();
    lane_ = precedence_.laneOf(spans_.front().last.front());
    for (const Span &span : spans_) {
      for (const InstructionId touch : span.last)
        if (precedence_.laneOf(touch) != lane_)
          return false;
      if (span.births.size() > 1 ||
          precedence_.doneInLane(lane_, span.births.front()) > precedence_.positionOf(span.last.front()))
        return false; // a read may come before its write: no interval
    }
    return true;
  }

  ChainCover coverByLane() const {
    std::vector<std::uint32_t> starts, ends;
    for (const Span &span : spans_) {
      std::uint32_t end = span.neverDead ? UINT32_MAX : 0;
      for (const InstructionId touch : span.last)
        end = std::max(end, precedence_.positionOf(touch) + 1);
      starts.push_back(precedence_.doneInLane(lane_, span.births.front()));
      ends.push_back(end);
    }
    return coverIntervals(starts, ends);
  }

  // Upper bound: along each chain, a life is over before the next one starts.
  void claimChains(const ChainCover &cover) {
    for (const auto &chain : cover.chains)
      for (std::size_t k = 0; k + 1 < chain.size(); ++k)
        if (!deadBefore(chain[k], chain[k + 1], &claims_))
          context_.undecided.emplace_back("internal: a chain of slots is not a chain");
  }

  // Lower bound: an execution in which all lives of the antichain are there at once. In one queue Z3 confirms it from
  // the order of the queue. Else a cut shows it: what follows the end of some life, and what does not. Every constraint
  // between the two leads from the second to the first, so the times of any execution (Z3 has found one) stay right
  // when the first part is moved to after the second; between the two all lives are born and none is over.
  smt::Judgement proveTogether(llvm::ArrayRef<std::uint32_t> antichain) {
    if (antichain.size() < 2)
      return {smt::Answer::yes, ""};
    if (sameQueue(antichain)) {
      claimTogether(antichain);
      return {smt::Answer::yes, ""};
    }
    if (cutAt(antichain))
      return {smt::Answer::yes, ""};
    return provePairs(antichain);
  }

  // Slots are assigned once and for all executions, so two lives that overlap in some execution need two slots, also
  // where no single execution has all pairs overlap.
  smt::Judgement provePairs(llvm::ArrayRef<std::uint32_t> antichain) {
    constexpr std::uint64_t mostWork = 2'000'000'000; // events to go over: some minutes
    if (antichain.size() * antichain.size() / 2 * context_.graph.eventCount() > mostWork)
      return {smt::Answer::unknown, "too many pairs of values to compare in a program of this size"};
    for (std::size_t x = 0; x < antichain.size(); ++x)
      for (std::size_t y = 0; y < x; ++y)
        if (!cutAt({antichain[x], antichain[y]}))
          return {smt::Answer::no, "two values that should overlap do not"};
    return {smt::Answer::yes, ""};
  }

  // Is there a cut (see proveTogether) at which all these lives are there?
  bool cutAt(llvm::ArrayRef<std::uint32_t> lives) const {
    std::vector<model::Event> after; // what follows the end of some life
    llvm::BitVector isAfter(context_.graph.eventCount());
    const auto put = [&](model::Event event) {
      if (!isAfter.test(event)) {
        isAfter.set(event);
        after.push_back(event);
      }
    };
    for (const std::uint32_t k : lives) {
      if (spans_[k].neverDead)
        continue;
      const InstructionId end = outlasting(k, lives);
      if (!end.valid())
        return false;
      put(context_.graph.completion(end));
    }
    for (std::size_t next = 0; next < after.size();)
      for (const model::Edge &edge : context_.graph.out(after[next++]))
        put(edge.to);
    return llvm::all_of(lives, [&](std::uint32_t k) {
      return llvm::any_of(spans_[k].births,
                          [&](InstructionId birth) { return !isAfter.test(context_.graph.begin(birth)); });
    });
  }

  // A touch of life `k` that is not known to be done before some other life of these is born; none if there is none.
  [[nodiscard]] InstructionId outlasting(std::uint32_t k, llvm::ArrayRef<std::uint32_t> lives) const {
    for (const InstructionId touch : spans_[k].last)
      if (llvm::none_of(lives, [&](std::uint32_t other) {
            return other != k && llvm::all_of(spans_[other].births, [&](InstructionId birth) {
                     return precedence_.doneBefore(touch, birth, nullptr);
                   });
          }))
        return touch;
    return {};
  }

  [[nodiscard]] bool sameQueue(llvm::ArrayRef<std::uint32_t> antichain) const {
    const std::uint32_t lane = precedence_.laneOf(spans_[antichain.front()].births.front());
    return llvm::all_of(antichain, [&](std::uint32_t k) {
      return spans_[k].births.size() == 1 && precedence_.laneOf(spans_[k].births.front()) == lane &&
             llvm::all_of(spans_[k].last, [&](InstructionId touch) { return precedence_.laneOf(touch) == lane; });
    });
  }

  // In one queue the moment is the same in every execution: when the last of them is born, all others are there.
  void claimTogether(llvm::ArrayRef<std::uint32_t> antichain) {
    InstructionId moment;
    for (const std::uint32_t k : antichain)
      if (!moment.valid() || precedence_.positionOf(spans_[k].births.front()) > precedence_.positionOf(moment))
        moment = spans_[k].births.front();
    for (const std::uint32_t k : antichain) {
      if (spans_[k].births.front() != moment)
        claims_.add({true, false}, false); // B(birth) < E(birth) <= B(moment)
      if (spans_[k].last.front() == moment)
        claims_.add({true}, true); // B(moment) < C(moment)
      else
        claims_.add({true, false, true}, true); // B(moment) < E(moment) <= B(last) < C(last)
    }
  }

  const Context &context_;
  const PoolHistory &history_;
  const RankPrecedence &precedence_;
  ChainClaims &claims_;
  std::vector<Span> spans_;
  std::uint32_t lane_ = 0;
};

} // namespace

SlotCount countSlots(const Context &context, const PoolHistory &history, const RankPrecedence &precedence,
                     ChainClaims &claims) {
  return SlotCounter(context, history, precedence, claims).run();
}

} // namespace plumbline::check
