// The numbers of two versions, side by side. Nothing here is judged.
#pragma once

#include "verifier/compare/rooms.h"
#include "verifier/report/report.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plumbline::compare {

// A number of one version.
struct Figure {
  enum class State : std::uint8_t {
    none,       // nothing is there to be counted
    unfinished, // a program that cannot finish has no such number
    unknown,    // there is one, and it was not determined
    known,
  };
  State state = State::none;
  std::int64_t value = 0;

  [[nodiscard]] bool known() const { return state == State::known; }
  bool operator==(const Figure &) const = default;
};
Figure knownFigure(std::int64_t value);
// "3", "-" or "?".
std::string words(const Figure &figure);

struct Pair {
  Figure base, next;
};

struct PoolFigures {
  RankId rank;
  std::string pool;
  bool inBase = false, inNext = false; // the program of that version has the pool
  Pair declared, least;
};

struct RankFigures {
  RankId rank;
  bool inNext = false;
  Pair mostInFlight;
};

struct InstructionFigures {
  RankId rank;
  Opcode opcode = Opcode::compute;
  std::size_t base = 0, next = 0; // instructions
};

struct BubbleFigures {
  // Nothing if the program cannot finish, computes nothing, or has times that do not fit.
  std::optional<check::Bubble> base, next;
  bool baseUnknown = false; // for the last of these reasons
};

// What makes the numbers of two versions not comparable one to one.
struct SizeDifference {
  std::string what; // "ranks", "mode", "wait"; of a communicator with its name, as the input has it
  std::string before, after;
};

struct Figures {
  std::vector<PoolFigures> pools;               // by rank, then by name
  std::vector<RankFigures> ranks;               // by rank
  std::vector<InstructionFigures> instructions; // by rank, then opcode: those whose numbers differ
  BubbleFigures bubble;
  std::vector<RoomFigures> rooms; // those that differ
  bool baseFinishes = false, nextFinishes = false;
  bool baseHasErrors = false, nextHasErrors = false;
  std::size_t baseInstructions = 0, nextInstructions = 0; // of all ranks
  std::vector<SizeDifference> differences;
  bool sameSizes = true; // ranks, stages, microbatches, replicas and mode
};

// Both reports are valid and have timelines. O(n log n).
Figures figuresOf(const report::Report &base, const report::Report &next);
// Of a new file.
Figures figuresOf(const report::Report &next);

// By rank: most (stage, microbatch) pairs at one time whose forward pass began and whose backward pass (of a split one
// the weight half) did not end, in issue order. Nothing for a program without any backward pass. Linear.
std::vector<Figure> mostInFlight(const Program &program);

} // namespace plumbline::compare
