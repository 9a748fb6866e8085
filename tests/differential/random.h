// A small generator of random numbers that gives the same numbers on every platform and with every library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace plumbline::oracle {

class Random {
public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  // splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  // One of 0 .. bound-1; bound must be positive.
  int below(int bound) { return static_cast<int>(next() % static_cast<std::uint64_t>(bound)); }
  // One of low .. high.
  int between(int low, int high) { return low + below(high - low + 1); }
  bool chance(int percent) { return below(100) < percent; }
  template <typename List> const auto &pick(const List &list) {
    return *(list.begin() + below(static_cast<int>(list.size())));
  }
  template <typename T> T pickOf(std::initializer_list<T> list) { return pick(list); }

private:
  std::uint64_t state_;
};

} // namespace plumbline::oracle
