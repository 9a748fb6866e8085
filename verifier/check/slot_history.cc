#include "verifier/check/slot_history.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <tuple>

namespace plumbline::check {
namespace {

struct Touch {
  std::int32_t pool;
  std::int32_t slot;
  std::uint32_t begin; // position of the instruction's begin in the order
  AccessMode mode;
  InstructionId instruction;
  const SlotAccess *access;
};

// By slot, then by begin; reads of an instruction before its writes, as it takes what it replaces.
bool earlier(const Touch &a, const Touch &b) {
  return std::tie(a.pool, a.slot, a.begin, a.mode, a.instruction) <
         std::tie(b.pool, b.slot, b.begin, b.mode, b.instruction);
}

// Touches of what begins; reads of what never does are put last, with begin noIndex.
std::vector<Touch> touches(const Program &program, const model::EventGraph &graph, const model::Order &order) {
  std::vector<Touch> result;
  result.reserve(program.accesses.size());
  for (const auto &[k, i] : llvm::enumerate(program.instructions)) {
    const InstructionId id(static_cast<std::int32_t>(k));
    const std::uint32_t begin = order.position[graph.begin(id)];
    for (const SlotAccess &access : program.accessesOf(i))
      if (begin != model::noIndex || access.mode == AccessMode::read)
        result.push_back({access.pool.value(), access.slot, begin, access.mode, id, &access});
  }
  llvm::sort(result, earlier);
  return result;
}

class SlotReader {
public:
  explicit SlotReader(PoolHistory &history) : history_(history) {}

  // All touches of one slot, in order.
  void read(llvm::ArrayRef<Touch> slot) {
    first_ = static_cast<std::uint32_t>(history_.instances.size());
    history_.slotStarts.push_back(first_);
    begins_.clear();
    writesOf_.clear();
    for (const Touch &touch : slot)
      if (touch.mode == AccessMode::write) {
        writesOf_[keyOf(touch)].push_back(static_cast<std::uint32_t>(begins_.size()));
        history_.instances.emplace_back();
        history_.instances.back().access = touch.access;
        history_.instances.back().writer = touch.instruction;
        begins_.push_back(touch.begin);
      }
    for (const Touch &touch : slot)
      if (touch.begin == model::noIndex)
        noteBehindHang(touch);
      else if (touch.mode == AccessMode::read)
        bind(touch);
    makeLives();
  }

private:
  using Key = std::pair<int, std::pair<std::int32_t, std::int32_t>>;
  static Key keyOf(const Touch &touch) {
    const Value &value = touch.access->value;
    return {static_cast<int>(value.kind), {value.stage.value(), value.microbatch.value()}};
  }
  Instance &instance(std::uint32_t k) { return history_.instances[first_ + k]; }

  void noteBehindHang(const Touch &touch) {
    if (const auto writes = writesOf_.find(keyOf(touch)); writes != writesOf_.end())
      for (const std::uint32_t k : writes->second)
        instance(k).readerBehindHang = true;
  }

  void bind(const Touch &touch) {
    const auto writes = writesOf_.find(keyOf(touch));
    if (writes == writesOf_.end()) {
      reportDangling(touch);
      return;
    }
    std::uint32_t chosen = writes->second.front();
    for (const std::uint32_t k : llvm::reverse(writes->second))
      if (begins_[k] < touch.begin) {
        chosen = k;
        break;
      }
    instance(chosen).readers.push_back(touch.instruction);
  }

  void reportDangling(const Touch &touch) {
    DanglingRead read{touch.instruction, touch.access, InstructionId(), nullptr};
    const auto after = std::lower_bound(begins_.begin(), begins_.end(), touch.begin);
    if (after != begins_.begin()) {
      const Instance &last = instance(static_cast<std::uint32_t>(after - begins_.begin()) - 1);
      read.lastWriter = last.writer;
      read.lastAccess = last.access;
    }
    history_.dangling.push_back(read);
  }

  // An instance written by an instruction that reads another instance of the slot continues that one's life.
  void makeLives() {
    const auto count = static_cast<std::uint32_t>(begins_.size());
    llvm::DenseMap<std::int32_t, std::uint32_t> writtenBy;
    for (std::uint32_t k = 0; k < count; ++k)
      writtenBy[instance(k).writer.value()] = k;
    llvm::IntEqClasses joined(count);
    for (std::uint32_t k = 0; k < count; ++k)
      for (const InstructionId reader : instance(k).readers)
        if (const auto entry = writtenBy.find(reader.value()); entry != writtenBy.end())
          joined.join(k, entry->second);
    joined.compress();
    const std::size_t base = history_.lives.size();
    history_.lives.resize(base + joined.getNumClasses());
    for (std::uint32_t k = 0; k < count; ++k) {
      instance(k).life = static_cast<std::int32_t>(base + joined[k]);
      history_.lives[base + joined[k]].instances.push_back(first_ + k);
    }
  }

  PoolHistory &history_;
  std::uint32_t first_ = 0;
  std::vector<std::uint32_t> begins_; // of the slot's instances
  llvm::DenseMap<Key, llvm::SmallVector<std::uint32_t, 1>> writesOf_;
};

} // namespace

std::vector<PoolHistory> slotHistories(const Program &program, const model::EventGraph &graph,
                                       const model::Order &order) {
  const std::vector<Touch> all = touches(program, graph, order);
  std::vector<PoolHistory> result;
  for (std::size_t first = 0; first < all.size();) {
    std::size_t last = first;
    while (last < all.size() && all[last].pool == all[first].pool && all[last].slot == all[first].slot)
      ++last;
    if (result.empty() || result.back().pool.value() != all[first].pool) {
      result.emplace_back();
      result.back().pool = PoolId(all[first].pool);
    }
    SlotReader(result.back()).read(llvm::ArrayRef(all).slice(first, last - first));
    first = last;
  }
  for (PoolHistory &history : result)
    history.slotStarts.push_back(static_cast<std::uint32_t>(history.instances.size()));
  return result;
}

} // namespace plumbline::check
