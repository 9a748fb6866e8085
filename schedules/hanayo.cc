// Hanayo: a pipeline that goes down and up the ranks like a wave, w times (Liu et al. 2023, "Hanayo: Harnessing
// Wave-like Pipeline Parallelism for Enhanced Large Model Training Efficiency", figures 1 and 3 to 5). It fills as fast
// as a bidirectional pipeline and needs no second copy of the model. Rank r has 2w chunks; even ones are on the way
// down, odd ones on the way up.
//
// A microbatch visits each rank 4w times: with a forward pass on its way down, one on its way up, and so on, and then
// the same way back with backward passes, again down first. So a rank has two streams of work, one that travels down
// and one that travels up, and takes turns between them: 1F1B, whichever of the two are forward passes. What comes down
// to rank r is back after R - r steps of the wave, so that far is the stream downwards ahead.
//
// The figures show units of M = R microbatches. More follow unit by unit: each stream goes on with the next unit, so
// that its first forward passes run among the last backward passes of the unit before. Missing microbatches of the last
// unit leave their places empty.
//
// Closed forms of this order, derived for this library and exact for all sizes. In flight:
// (2w-1)min(M,R) + min(M,r+1) chunks on rank r, so on the last rank as much as 1F1B holds on the first. Bubble with
// M = UR microbatches: 2(R-1)(B + (U-1)(B-F)) of a chunk. With F = 1 and B = 2, each microbatch that the last unit
// lacks costs 6w-4 more, and if it is not the only unit they cost 1 less in all.
#include "schedules/families.h"
#include "schedules/interleaving/turns.h"

#include <algorithm>

namespace plumbline::schedules {
namespace {

enum class Direction : std::uint8_t { down, up };

// One rank's passes in one direction.
class Stream {
public:
  Stream(const Request &request, std::int32_t rank, Direction direction)
      : request_(request), rank_(rank), direction_(direction),
        turns_(request.microbatches, request.chunks(), request.ranks) {}

  [[nodiscard]] bool done() const { return next_ == turns_.count(); }

  // Where the next pass stands among the places of full units.
  [[nodiscard]] std::int32_t place() const {
    const Turn turn = turns_[next_];
    const std::int32_t unit = turn.microbatch / request_.ranks;
    return (unit * request_.chunks() + turn.chunk) * request_.ranks + turn.microbatch % request_.ranks;
  }

  void addNext(Row &row) {
    const Turn turn = turns_[next_++];
    // Visits of a microbatch: forward passes through all chunks, then backward passes.
    const std::int32_t visit = 2 * turn.chunk + (direction_ == Direction::up ? 1 : 0);
    const std::int32_t chunks = request_.chunks();
    if (visit < chunks)
      row.forward(request_.stage(visit, rank_), turn.microbatch);
    else
      row.backward(request_.stage(2 * chunks - 1 - visit, rank_), turn.microbatch);
  }

private:
  const Request &request_;
  std::int32_t rank_;
  Direction direction_;
  Turns turns_;
  std::int32_t next_ = 0;
};

Rows rowsOf(const Request &request) {
  Rows rows(static_cast<std::size_t>(request.ranks));
  for (std::int32_t rank = 0; rank < request.ranks; ++rank) {
    Stream down(request, rank, Direction::down), up(request, rank, Direction::up);
    const std::int32_t ahead = request.ranks - rank;
    // The last pass of a microbatch travels up, so that the way up ends last.
    while (!up.done()) {
      const bool downFirst = !down.done() && down.place() < up.place() + ahead;
      (downFirst ? down : up).addNext(rows[static_cast<std::size_t>(rank)]);
    }
  }
  return rows;
}

std::optional<std::int64_t> bubbleTime(const Request &request) {
  const std::int64_t ranks = request.ranks, microbatches = request.microbatches, waves = request.chunks() / 2;
  const std::int64_t units = (microbatches + ranks - 1) / ranks;
  const std::int64_t missing = units * ranks - microbatches;
  const std::int64_t less = units > 1 && missing > 0 ? 1 : 0;
  return 2 * (ranks - 1) * (units + 1) + (6 * waves - 4) * missing - less;
}

} // namespace

const Family hanayo = {
    .name = "hanayo",
    .title = "a pipeline down and up the ranks, w times",
    .paper = "Liu et al. 2023 (Hanayo), figures 1 and 3 to 5",
    .memory = "(2w-1)min(M,R) + min(M,r+1)",
    .bubble = "2(R-1)(B + (M/R-1)(B-F)) if R divides M",
    .shape = Shape::waves,
    .rows = rowsOf,
    .inFlight = [](const Request &request, std::int32_t rank) -> std::optional<std::int64_t> {
      return std::int64_t(request.chunks() - 1) * std::min(request.microbatches, request.ranks) +
             std::min(request.microbatches, rank + 1);
    },
    .bubbleTime = bubbleTime,
};

} // namespace plumbline::schedules
