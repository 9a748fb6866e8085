#include "tests/differential/hazards.h"

namespace plumbline::oracle {
namespace {

class Finder {
public:
  explicit Finder(const Instances &instances) : instances_(instances), all_(instances.all()) {}

  HazardReport run() {
    for (const LostRead &read : instances_.lostReads())
      report_.hazards.push_back(
          {HazardKind::raw, read.pool, read.slot, InstructionId(read.reader), InstructionId(), false});
    for (std::size_t begin = 0, end = 0; begin < all_.size(); begin = end) {
      while (end < all_.size() && all_[end].pool == all_[begin].pool && all_[end].slot == all_[begin].slot)
        ++end;
      for (std::size_t u = begin; u < end; ++u) {
        checkReads(all_[u]);
        for (std::size_t v = u + 1; v < end; ++v)
          checkPair(all_[u], all_[v]);
        if (all_[u].readers.empty())
          checkUnread(begin, u, end);
      }
    }
    return std::move(report_);
  }

private:
  void add(HazardKind kind, const Instance &at, int first, int second, bool pendingReader = false) {
    report_.hazards.push_back({kind, at.pool, at.slot, InstructionId(first), InstructionId(second), pendingReader});
  }

  void checkReads(const Instance &u) {
    for (const int r : u.readers)
      if (r == u.writer || !instances_.alwaysBefore(u.writer, r))
        add(HazardKind::raw, u, r, u.writer);
  }

  // An access of u that may last until v's write begins, readers first; -1: there is none. An instruction that reads
  // u and writes v works in place.
  int late(const Instance &u, const Instance &v) const {
    for (const int r : u.readers)
      if (r != v.writer && !instances_.alwaysBefore(r, v.writer))
        return r;
    return u.writer != v.writer && !instances_.alwaysBefore(u.writer, v.writer) ? u.writer : -1;
  }

  // One of the two has to be over, whatever the execution, when the other is written.
  void checkPair(const Instance &u, const Instance &v) {
    const int a = late(u, v);
    if (a >= 0 && late(v, u) >= 0)
      add(a == u.writer ? HazardKind::waw : HazardKind::war, u, a, v.writer);
  }

  void checkUnread(std::size_t begin, std::size_t u, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v)
      if (all_[v].writer != all_[u].writer && !instances_.alwaysBefore(all_[v].writer, all_[u].writer)) {
        add(HazardKind::waw, all_[u], all_[u].writer, all_[v].writer, all_[u].pendingReader);
        return;
      }
    report_.leaks.push_back({all_[u].pool, all_[u].slot, InstructionId(all_[u].writer)});
  }

  const Instances &instances_;
  const std::vector<Instance> &all_;
  HazardReport report_;
};

} // namespace

const char *name(HazardKind kind) { return kind == HazardKind::war ? "WAR" : kind == HazardKind::raw ? "RAW" : "WAW"; }

HazardReport findHazards(const Instances &instances) { return Finder(instances).run(); }

HazardReport findHazards(const Program &program, const model::Options &options) {
  const Layout layout(program, options);
  return findHazards(Instances(layout));
}

} // namespace plumbline::oracle
