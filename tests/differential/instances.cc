#include "tests/differential/instances.h"

#include <algorithm>
#include <tuple>

namespace plumbline::oracle {
namespace {

struct Touch {
  SlotAccess access;
  int instruction;
  int time; // of its begin; -1: never
};

template <typename T> bool sameSlot(const T &a, const T &b) { return a.pool == b.pool && a.slot == b.slot; }

} // namespace

Instances::Instances(const Layout &layout) : layout_(layout), execution_(layout) {
  execution_.runToTheEnd();
  finished_ = true;
  for (std::size_t u = 0; u < layout.units.size(); ++u)
    finished_ &= execution_.ended(static_cast<int>(u));
  bind();
  withholdEach();
}

void Instances::bind() {
  const Program &program = layout_.program;
  std::vector<Touch> touches;
  for (int i = 0; i < static_cast<int>(program.instructions.size()); ++i)
    for (const SlotAccess &access : program.accessesOf(program.instructions[i]))
      touches.push_back({access, i, execution_.beginTime(layout_.unitOf[i])});
  // By slot, then in order of begin; members of one unit in issue order.
  std::sort(touches.begin(), touches.end(), [](const Touch &a, const Touch &b) {
    return std::tie(a.access.pool, a.access.slot, a.time, a.instruction) <
           std::tie(b.access.pool, b.access.slot, b.time, b.instruction);
  });
  for (std::size_t begin = 0, end = 0; begin < touches.size(); begin = end) {
    while (end < touches.size() && sameSlot(touches[begin].access, touches[end].access))
      ++end;
    const std::size_t first = all_.size();
    for (std::size_t k = begin; k < end; ++k) {
      const Touch &t = touches[k];
      const bool again =
          all_.size() > first && all_.back().writer == t.instruction && all_.back().value == t.access.value;
      if (t.access.mode == AccessMode::write && t.time >= 0 && !again)
        all_.push_back({t.access.pool, t.access.slot, t.access.value, t.instruction, {}, false});
    }
    for (std::size_t k = begin; k < end; ++k) {
      const Touch &t = touches[k];
      if (t.access.mode != AccessMode::read)
        continue;
      // The last write of the value that begins before this read, else the first one.
      Instance *found = nullptr;
      for (std::size_t n = first; n < all_.size(); ++n) {
        const int writeTime = execution_.beginTime(layout_.unitOf[all_[n].writer]);
        const bool before = std::tie(writeTime, all_[n].writer) < std::tie(t.time, t.instruction);
        if (all_[n].value == t.access.value && (before || !found))
          found = &all_[n];
        if (t.time < 0 && all_[n].value == t.access.value)
          all_[n].pendingReader = true;
      }
      if (t.time < 0)
        continue;
      if (!found)
        lostReads_.push_back({t.access.pool, t.access.slot, t.instruction});
      else if (found->readers.empty() || found->readers.back() != t.instruction)
        found->readers.push_back(t.instruction);
    }
  }
}

bool Instances::ambiguous() const {
  const auto ordered = [&](int a, int b) { return a == b || alwaysBefore(a, b) || alwaysBefore(b, a); };
  for (const Instance &u : all_)
    for (const Instance &v : all_) {
      if (&u == &v || !sameSlot(u, v) || !(u.value == v.value))
        continue;
      const bool decided = ordered(u.writer, v.writer) && std::all_of(v.readers.begin(), v.readers.end(), [&](int r) {
                             return ordered(u.writer, r) && ordered(v.writer, r);
                           });
      if (!decided)
        return true;
    }
  return false;
}

void Instances::withholdEach() {
  words_ = (layout_.units.size() + 63) / 64;
  row_.assign(layout_.unitOf.size(), 0);
  std::vector<std::uint8_t> wanted(layout_.unitOf.size(), 0);
  for (const Instance &instance : all_) {
    wanted[instance.writer] = 1;
    for (const int r : instance.readers)
      wanted[r] = 1;
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i])
      continue;
    row_[i] = begunWithout_.size() / std::max<std::size_t>(words_, 1);
    execution_.reset({-1, static_cast<int>(i)});
    execution_.runToTheEnd();
    begunWithout_.resize(begunWithout_.size() + words_, 0);
    for (std::size_t u = 0; u < layout_.units.size(); ++u)
      if (execution_.begun(static_cast<int>(u)))
        begunWithout_[row_[i] * words_ + u / 64] |= std::uint64_t(1) << (u % 64);
  }
}

} // namespace plumbline::oracle
