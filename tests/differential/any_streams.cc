#include "tests/differential/any_streams.h"

#include <string>
#include <unordered_set>

namespace plumbline::oracle {
namespace {

// A state is what has begun: all that begun units may still do only ever enables others, so it is done at once.
class Search {
public:
  Search(const Program &program, const model::Options &options, bool reduce, std::size_t maxStates)
      : layout_(program, options), reduce_(reduce), maxStates_(maxStates) {}

  std::optional<bool> run() {
    Execution start(layout_);
    start.settle();
    if (visit(start))
      return true;
    return seen_.size() > maxStates_ ? std::nullopt : std::optional(false);
  }

private:
  // What rank r may begin now. `settled`: no step of another rank adds to it before r begins one of them.
  std::vector<int> choices(const Execution &e, int r, bool &settled) const {
    std::vector<int> units;
    settled = true;
    for (int lane = layout_.firstLane[r]; lane < layout_.firstLane[r + 1]; ++lane) {
      const int unit = e.head(lane);
      if (unit < 0)
        continue;
      if (e.begun(unit)) { // the device is taken
        settled = true;
        return {};
      }
      if (e.mayBegin(unit))
        units.push_back(unit);
      else if (e.waitsDone(unit))
        settled = false; // only connections hold it, and those come from other ranks
    }
    return units;
  }

  // True if a hang can be reached.
  bool visit(const Execution &e) {
    if (!seen_.insert(key(e)).second || seen_.size() > maxStates_)
      return false;
    std::vector<int> open;
    bool done = true;
    for (int r = 0; r < layout_.program.rankCount(); ++r) {
      bool settled = false;
      const std::vector<int> units = choices(e, r, settled);
      for (int lane = layout_.firstLane[r]; lane < layout_.firstLane[r + 1]; ++lane)
        done &= e.head(lane) < 0;
      // A free rank has to begin one of these some time, and what other ranks do meanwhile neither helps nor hinders
      // it; so let it choose now, and leave the other ranks for later.
      if (reduce_ && settled && !units.empty()) {
        open = units;
        done = false;
        break;
      }
      open.insert(open.end(), units.begin(), units.end());
    }
    if (open.empty())
      return !done;
    for (const int unit : open) {
      Execution next = e;
      next.begin(unit);
      next.settle();
      if (visit(next))
        return true;
    }
    return false;
  }

  std::string key(const Execution &e) const {
    std::string text((layout_.units.size() + 7) / 8, '\0');
    for (std::size_t u = 0; u < layout_.units.size(); ++u)
      if (e.begun(static_cast<int>(u)))
        text[u / 8] = static_cast<char>(text[u / 8] | (1 << (u % 8)));
    return text;
  }

  Layout layout_;
  bool reduce_;
  std::size_t maxStates_;
  std::unordered_set<std::string> seen_;
};

} // namespace

std::optional<bool> streamsAnyHangs(const Program &program, const model::Options &options, std::size_t maxStates) {
  return Search(program, options, true, maxStates).run();
}

std::optional<bool> streamsAnyHangsExhaustive(const Program &program, const model::Options &options,
                                              std::size_t maxStates) {
  return Search(program, options, false, maxStates).run();
}

} // namespace plumbline::oracle
