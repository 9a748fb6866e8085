#include "schedules/vee/fill_bubbles.h"

#include "schedules/vee/pass.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace plumbline::schedules::vee {
namespace {

constexpr std::int64_t notYet = -1;

// Before which passes a weight half may go although it makes the rank late, as long as another rank idles more.
struct Filling {
  bool beforeForward = true;
  bool beforeSecondBackward = true; // before a backward pass of chunk 0 it always may
};

struct Waiting {
  std::int32_t chunk = 0;
  std::int32_t microbatch = 0;
};

// One rank while the order grows.
struct RankState {
  std::array<std::int32_t, passesThrough> done = {}; // by pass
  std::int64_t clock = 0;
  std::int64_t idle = 0;       // since its first pass
  std::int32_t held = 0;       // chunks' activations
  std::vector<Waiting> halves; // the weight halves so far, in order of their input halves
  std::size_t filled = 0;      // how many of them were done
};

struct Found {
  Rows rows;
  std::vector<std::int64_t> idle; // by rank
  std::int64_t bubble = 0;        // of the rank that idles most
};

// One run of the greedy search. `allowed` is the idle time by rank of the attempt before: a rank that idled less than
// another may be made to wait by as much.
class Attempt {
public:
  Attempt(const Request &request, const SearchCosts &costs, Filling filling, const std::vector<std::int64_t> &allowed)
      : request_(request), costs_(costs), filling_(filling), allowed_(allowed),
        mostAllowed_(*std::max_element(allowed.begin(), allowed.end())),
        ranks_(static_cast<std::size_t>(request.ranks)), rows_(ranks_.size()),
        ends_(passesThrough * ranks_.size() * static_cast<std::size_t>(request.microbatches), notYet) {}

  Found run() {
    warmUp();
    // Each round is one backward and at most one forward pass on every rank.
    for (std::int32_t round = 0; round < 2 * request_.microbatches; ++round) {
      roundOfBackwards();
      for (std::int32_t rank = 0; rank < request_.ranks; ++rank)
        forwardOf(rank);
    }
    for (std::int32_t rank = 0; rank < request_.ranks; ++rank)
      while (hasWaiting(rank))
        putWeight(rank);
    Found found{std::move(rows_), {}, mostIdle_};
    for (const RankState &rank : ranks_)
      found.idle.push_back(rank.idle);
    return found;
  }

private:
  RankState &state(std::int32_t rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] const RankState &state(std::int32_t rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] std::int32_t done(std::int32_t rank, Pass pass) const {
    return state(rank).done[static_cast<std::size_t>(pass)];
  }
  [[nodiscard]] bool hasWaiting(std::int32_t rank) const { return state(rank).filled < state(rank).halves.size(); }

  std::int64_t &end(std::int32_t rank, Pass pass, std::int32_t microbatch) {
    return ends_[(static_cast<std::size_t>(pass) * ranks_.size() + static_cast<std::size_t>(rank)) *
                     static_cast<std::size_t>(request_.microbatches) +
                 static_cast<std::size_t>(microbatch)];
  }

  [[nodiscard]] std::int64_t costOf(Pass pass) const {
    return isForward(pass) ? costs_.forward : isBackward(pass) ? costs_.backwardInput : costs_.backwardWeight;
  }

  // When the message for the rank's next such pass is there; notYet without a message, or before it is sent.
  std::int64_t messageAt(std::int32_t rank, Pass pass) {
    const std::int32_t sender = senderOf(pass, rank, request_.ranks);
    const std::int64_t sent = sender == noRank ? notYet : end(sender, pass, done(rank, pass));
    return sent == notYet ? notYet : sent + costs_.message;
  }

  void put(std::int32_t rank, Pass pass) {
    assert((senderOf(pass, rank, request_.ranks) == noRank || messageAt(rank, pass) != notYet) && "not sent yet");
    RankState &at = state(rank);
    const std::int64_t begin = std::max(at.clock, messageAt(rank, pass));
    const std::int32_t m = at.done[static_cast<std::size_t>(pass)]++;
    const bool isFirst = pass == Pass::firstForward && m == 0;
    at.idle += isFirst ? 0 : begin - at.clock;
    mostIdle_ = std::max(mostIdle_, at.idle);
    at.clock = begin + costOf(pass);
    end(rank, pass, m) = at.clock;
    const StageId stage = request_.stage(chunkOf(pass), rank);
    if (isForward(pass)) {
      rows_[static_cast<std::size_t>(rank)].forward(stage, m);
      ++at.held;
    } else {
      rows_[static_cast<std::size_t>(rank)].backwardInput(stage, m);
      at.halves.push_back({chunkOf(pass), m});
    }
  }

  void putWeight(std::int32_t rank) {
    RankState &at = state(rank);
    const Waiting half = at.halves[at.filled++];
    rows_[static_cast<std::size_t>(rank)].backwardWeight(request_.stage(half.chunk, rank), half.microbatch);
    at.clock += costs_.backwardWeight;
    --at.held;
  }

  // By how much the rank may fall behind before it idles more than the worst.
  [[nodiscard]] std::int64_t slack(std::int32_t rank) const {
    const std::int64_t allowed = mostAllowed_ - allowed_[static_cast<std::size_t>(rank)];
    return std::max(mostIdle_, allowed) - state(rank).idle;
  }

  // Weight halves while the rank would wait for the message of `pass`; and one more, if `mayDelay`, where waiting would
  // make it the rank that idles most.
  void fillBefore(std::int32_t rank, Pass pass, bool mayDelay) {
    const std::int64_t message = messageAt(rank, pass);
    if (message == notYet)
      return;
    while (hasWaiting(rank) && message >= state(rank).clock + costs_.backwardWeight)
      putWeight(rank);
    if (mayDelay && hasWaiting(rank) && message - state(rank).clock > slack(rank))
      putWeight(rank);
  }

  // Forward passes only, until microbatch 0 is back on rank 0 and down again: each rank takes in as many microbatches
  // as memory allows if it leaves room for chunk 1 of what the ranks before it send on, and then chunks in turn. This
  // is the same for any costs: a rank has time for all of that before microbatch 0 comes back.
  void warmUp() {
    for (std::int32_t rank = 0; rank < request_.ranks; ++rank)
      for (std::int32_t m = 0; m < std::min(2 * (request_.ranks - rank) - 1, request_.microbatches); ++m)
        put(rank, Pass::firstForward);
    for (std::int32_t top = 0; top < std::min(request_.ranks, request_.microbatches); ++top) {
      for (std::int32_t rank = top; top > 0 && rank < request_.ranks; ++rank)
        if (done(rank, Pass::firstForward) < request_.microbatches)
          put(rank, Pass::firstForward);
      for (std::int32_t rank = request_.ranks - 1; rank >= top; --rank)
        put(rank, Pass::secondForward);
    }
  }

  [[nodiscard]] std::int32_t mostHeld() const { return 2 * request_.ranks; }

  // A backward pass of chunk 0 if its input is there or nothing else is left, otherwise of chunk 1. All ranks choose
  // before any goes on.
  void roundOfBackwards() {
    std::vector<std::int32_t> first, second;
    for (std::int32_t rank = 0; rank < request_.ranks; ++rank)
      (nextIsFirstBackward(rank) ? first : second).push_back(rank);
    for (const std::int32_t rank : llvm::reverse(first)) {
      fillBefore(rank, Pass::firstBackward, true);
      put(rank, Pass::firstBackward);
    }
    for (const std::int32_t rank : second) {
      fillBefore(rank, Pass::secondBackward, filling_.beforeSecondBackward);
      put(rank, Pass::secondBackward);
    }
  }

  bool nextIsFirstBackward(std::int32_t rank) {
    if (done(rank, Pass::firstBackward) >= done(rank, Pass::secondBackward))
      return false;
    return rank == request_.ranks - 1 || messageAt(rank, Pass::firstBackward) != notYet ||
           done(rank, Pass::secondBackward) == request_.microbatches;
  }

  // A forward pass, of chunk 1 if its input is there, otherwise of chunk 0 if that is there.
  void forwardOf(std::int32_t rank) {
    const Pass pass = nextForward(rank);
    if (pass == Pass::none)
      return;
    while (state(rank).held == mostHeld() && hasWaiting(rank))
      putWeight(rank);
    fillBefore(rank, pass, filling_.beforeForward);
    put(rank, pass);
  }

  Pass nextForward(std::int32_t rank) {
    const std::int32_t entered = done(rank, Pass::firstForward), returned = done(rank, Pass::secondForward);
    if (returned == request_.microbatches)
      return Pass::none;
    if (returned == entered)
      return Pass::firstForward;
    if (rank == request_.ranks - 1 || messageAt(rank, Pass::secondForward) != notYet)
      return Pass::secondForward;
    if (entered == request_.microbatches)
      return Pass::none;
    return rank == 0 || messageAt(rank, Pass::firstForward) != notYet ? Pass::firstForward : Pass::none;
  }

  const Request &request_;
  const SearchCosts costs_;
  const Filling filling_;
  const std::vector<std::int64_t> &allowed_;
  const std::int64_t mostAllowed_;
  std::vector<RankState> ranks_;
  Rows rows_;
  std::vector<std::int64_t> ends_; // by pass, rank and microbatch
  std::int64_t mostIdle_ = 0;
};

// Attempts one after another, each knowing how much every rank idled in the one before, until none gets better.
Found repeatedly(const Request &request, const SearchCosts &costs, Filling filling) {
  const std::vector<std::int64_t> nothing(static_cast<std::size_t>(request.ranks), 0);
  Found best = Attempt(request, costs, filling, nothing).run();
  while (best.bubble > 0) {
    Found next = Attempt(request, costs, filling, best.idle).run();
    if (next.bubble >= best.bubble)
      break;
    best = std::move(next);
  }
  return best;
}

} // namespace

Rows fillBubbles(const Request &request, const SearchCosts &costs) {
  Found best = repeatedly(request, costs, {true, true});
  for (const Filling filling : {Filling{false, true}, Filling{true, false}, Filling{false, false}}) {
    Found found = repeatedly(request, costs, filling);
    if (found.bubble < best.bubble)
      best = std::move(found);
  }
  return std::move(best.rows);
}

} // namespace plumbline::schedules::vee
