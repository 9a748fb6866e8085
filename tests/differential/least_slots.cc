#include "tests/differential/hazards.h"

#include <algorithm>
#include <numeric>

namespace plumbline::oracle {
namespace {

// Values that follow one another in place and so need one slot.
struct Life {
  std::vector<int> accesses;
  std::vector<int> writes;
  bool immortal = false; // a value of it is never read, so it is never over
};

std::vector<Life> livesOf(const Instances &instances, PoolId pool) {
  const std::vector<Instance> &all = instances.all();
  std::vector<std::size_t> lifeOf(all.size());
  std::iota(lifeOf.begin(), lifeOf.end(), 0);
  for (std::size_t u = 0; u < all.size(); ++u)
    for (std::size_t v = 0; v < all.size(); ++v) {
      const bool slot = all[u].pool == all[v].pool && all[u].slot == all[v].slot;
      if (u == v || !slot ||
          std::find(all[u].readers.begin(), all[u].readers.end(), all[v].writer) == all[u].readers.end())
        continue;
      const std::size_t from = lifeOf[v];
      std::replace(lifeOf.begin(), lifeOf.end(), from, lifeOf[u]);
    }
  std::vector<Life> lives(all.size());
  for (std::size_t u = 0; u < all.size(); ++u) {
    if (all[u].pool != pool)
      continue;
    Life &life = lives[lifeOf[u]];
    life.accesses.push_back(all[u].writer);
    life.accesses.insert(life.accesses.end(), all[u].readers.begin(), all[u].readers.end());
    life.immortal |= all[u].readers.empty();
    life.writes.push_back(all[u].writer);
  }
  std::erase_if(lives, [](const Life &life) { return life.accesses.empty(); });
  return lives;
}

// Over before the other is born, whichever of its writes comes first.
bool deadBefore(const Instances &instances, const Life &a, const Life &b) {
  return !a.immortal && std::all_of(a.accesses.begin(), a.accesses.end(), [&](int access) {
    return std::all_of(b.writes.begin(), b.writes.end(),
                       [&](int write) { return instances.alwaysBefore(access, write); });
  });
}

// Branch and bound after Tomita and Seki: colour the candidates, expand the highest colours first.
class Clique {
public:
  explicit Clique(std::vector<std::vector<bool>> adjacent) : adjacent_(std::move(adjacent)) {}

  int largest() {
    std::vector<int> candidates(adjacent_.size());
    std::iota(candidates.begin(), candidates.end(), 0);
    expand(candidates, 0);
    return best_;
  }

private:
  void expand(const std::vector<int> &candidates, int size) {
    best_ = std::max(best_, size);
    std::vector<std::vector<int>> colours;
    for (const int c : candidates) {
      auto colour = std::find_if(colours.begin(), colours.end(), [&](const std::vector<int> &members) {
        return std::none_of(members.begin(), members.end(), [&](int m) { return adjacent_[c][m]; });
      });
      if (colour == colours.end())
        colour = colours.emplace(colours.end());
      colour->push_back(c);
    }
    std::vector<int> left;
    for (const std::vector<int> &colour : colours)
      left.insert(left.end(), colour.begin(), colour.end());
    for (int bound = static_cast<int>(colours.size()); bound > 0; --bound)
      for (std::size_t k = colours[bound - 1].size(); k > 0; --k) {
        if (size + bound <= best_)
          return;
        const int chosen = left.back();
        left.pop_back();
        std::vector<int> next;
        for (const int c : left)
          if (adjacent_[chosen][c])
            next.push_back(c);
        expand(next, size + 1);
      }
  }

  std::vector<std::vector<bool>> adjacent_;
  int best_ = 0;
};

} // namespace

std::optional<int> leastSlots(const Instances &instances, PoolId pool) {
  if (!instances.finished())
    return std::nullopt;
  const std::vector<Life> lives = livesOf(instances, pool);
  std::vector<std::vector<bool>> together(lives.size(), std::vector<bool>(lives.size()));
  for (std::size_t a = 0; a < lives.size(); ++a)
    for (std::size_t b = 0; b < lives.size(); ++b)
      together[a][b] =
          a != b && !deadBefore(instances, lives[a], lives[b]) && !deadBefore(instances, lives[b], lives[a]);
  return Clique(std::move(together)).largest();
}

std::optional<int> leastSlots(const Program &program, const model::Options &options, PoolId pool) {
  const Layout layout(program, options);
  return leastSlots(Instances(layout), pool);
}

} // namespace plumbline::oracle
