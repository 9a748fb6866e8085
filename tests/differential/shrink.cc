#include "tests/differential/draft.h"
#include "tests/differential/mutations.h"

namespace plumbline::oracle {
namespace {

class Shrinker {
public:
  Shrinker(const Program &program, const std::function<bool(const Program &)> &holds)
      : draft_(draftOf(program)), holds_(holds) {}

  Program run() {
    for (bool smaller = true; smaller;) {
      smaller = false;
      for (std::size_t r = 0; r < draft_.ranks.size(); ++r) {
        smaller |= dropTail(r);
        smaller |= dropLines(r);
        smaller |= simplifyLines(r);
      }
    }
    return programOf(draft_);
  }

private:
  bool tryOut(const Draft &smaller) {
    if (!holds_(programOf(smaller)))
      return false;
    draft_ = smaller;
    return true;
  }

  // Halves what is cut off until it may go.
  bool dropTail(std::size_t r) {
    bool smaller = false;
    for (std::size_t cut = draft_.ranks[r].size(); cut > 1;) {
      Draft next = draft_;
      next.ranks[r].resize(next.ranks[r].size() - cut);
      const bool held = tryOut(next);
      smaller |= held;
      cut = held ? draft_.ranks[r].size() : cut / 2;
    }
    return smaller;
  }

  bool dropLines(std::size_t r) {
    bool smaller = false;
    for (std::size_t k = draft_.ranks[r].size(); k-- > 0;) {
      Draft next = draft_;
      next.ranks[r].erase(next.ranks[r].begin() + static_cast<std::ptrdiff_t>(k));
      smaller |= tryOut(next);
    }
    return smaller;
  }

  bool simplifyLines(std::size_t r) {
    bool smaller = false;
    for (std::size_t k = 0; k < draft_.ranks[r].size(); ++k) {
      if (draft_.ranks[r][k].instruction.group.valid()) {
        Draft next = draft_;
        next.ranks[r][k].instruction.group = GroupId();
        smaller |= tryOut(next);
      }
      if (draft_.ranks[r][k].instruction.bytes != 0) {
        Draft next = draft_;
        next.ranks[r][k].instruction.bytes = 0;
        smaller |= tryOut(next);
      }
      smaller |= dropEach(r, k, &Line::waits);
      smaller |= dropEach(r, k, &Line::accesses);
    }
    return smaller;
  }

  template <typename T> bool dropEach(std::size_t r, std::size_t k, std::vector<T> Line::*list) {
    bool smaller = false;
    for (std::size_t w = (draft_.ranks[r][k].*list).size(); w-- > 0;) {
      Draft next = draft_;
      std::vector<T> &entries = next.ranks[r][k].*list;
      entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(w));
      smaller |= tryOut(next);
    }
    return smaller;
  }

  Draft draft_;
  const std::function<bool(const Program &)> &holds_;
};

} // namespace

Program shrink(const Program &program, const std::function<bool(const Program &)> &holds) {
  return Shrinker(program, holds).run();
}

} // namespace plumbline::oracle
