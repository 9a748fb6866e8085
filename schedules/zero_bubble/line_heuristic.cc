#include "schedules/zero_bubble/line_heuristic.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>
#include <vector>

namespace plumbline::schedules {
namespace {

// What an action stores, per token and in units of two bytes a hidden size: the project's estimate of a transformer
// layer is 34h + 5as for a forward pass, of which 32h stay until the weight half, here with h = 2048 and as = 16 *
// 1024.
constexpr std::int64_t forwardStores = 37;
constexpr std::int64_t weightFrees = 16;
constexpr std::int64_t inputFrees = forwardStores - weightFrees;

struct Times {
  std::int64_t forward = 0, input = 0, weight = 0, message = 0;
};

// What the heuristic leaves open. It tries every choice and takes the first of the shortest.
struct Choice {
  bool idleBeforeFirstInput = false; // rather than delay the first input half by a forward pass that does not fit
  bool inputBeforeForward = false;   // where the next stage has forward passes waiting
  bool fillSmallGaps = false;        // with weight halves, though they delay what comes after the gap
};

// One stage so far. The counts are also the microbatches that come next.
struct Stage {
  std::size_t forwards = 0, inputs = 0, weights = 0;
  std::int64_t time = 0; // end of its last action
  std::int64_t stored = 0;
  std::int64_t idle = 0; // since its first forward pass
  std::vector<Opcode> order;
};

class Attempt {
public:
  Attempt(const Request &request, const Times &times, std::int64_t limit, const Choice &choice)
      : times_(times), choice_(choice), most_(limit * forwardStores),
        microbatches_(static_cast<std::size_t>(request.microbatches)),
        stages_(static_cast<std::size_t>(request.stages)), forwarded_(stages_.size() * microbatches_),
        differentiated_(stages_.size() * microbatches_) {}

  void run() {
    warmUp();
    for (std::size_t m = 1; m < microbatches_; ++m) {
      forwardRound();
      inputRound();
    }
    for (std::size_t s = 0; s < stages_.size(); ++s)
      weightsUntil(s, microbatches_);
  }

  // Of the stage that is busy longest, from the begin of its first action on.
  [[nodiscard]] std::int64_t duration() const {
    std::int64_t longest = 0;
    for (const auto &[s, stage] : llvm::enumerate(stages_))
      longest = std::max(longest, stage.time - forwarded_[s * microbatches_] + times_.forward);
    return longest;
  }

  [[nodiscard]] Rows rows() const {
    Rows rows;
    for (const auto &[s, stage] : llvm::enumerate(stages_)) {
      std::int32_t forwards = 0, inputs = 0, weights = 0;
      Row &row = rows.emplace_back();
      for (const Opcode opcode : stage.order)
        row.add(opcode, StageId(static_cast<std::int32_t>(s)),
                opcode == Opcode::forward          ? forwards++
                : opcode == Opcode::backward_input ? inputs++
                                                   : weights++);
    }
    return rows;
  }

private:
  [[nodiscard]] bool isLast(std::size_t s) const { return s + 1 == stages_.size(); }

  // When the input of the stage's next forward pass, or of its next input half, is there.
  [[nodiscard]] std::int64_t forwardArrival(std::size_t s) const {
    assert((s == 0 || stages_[s - 1].forwards > stages_[s].forwards) && "the stage before has not run it");
    return s == 0 ? 0 : forwarded_[(s - 1) * microbatches_ + stages_[s].forwards] + times_.message;
  }
  [[nodiscard]] std::int64_t inputArrival(std::size_t s) const {
    assert((isLast(s) || stages_[s + 1].inputs > stages_[s].inputs) && "the stage behind has not run it");
    return isLast(s) ? 0 : differentiated_[(s + 1) * microbatches_ + stages_[s].inputs] + times_.message;
  }

  void add(Stage &stage, Opcode opcode, std::int64_t arrival, std::int64_t time) {
    if (stage.forwards > 0)
      stage.idle += std::max<std::int64_t>(arrival - stage.time, 0);
    mostIdle_ = std::max(mostIdle_, stage.idle);
    stage.time = std::max(stage.time, arrival) + time;
    stage.order.push_back(opcode);
  }
  void forward(std::size_t s) {
    Stage &stage = stages_[s];
    add(stage, Opcode::forward, forwardArrival(s), times_.forward);
    stage.stored += forwardStores;
    forwarded_[s * microbatches_ + stage.forwards++] = stage.time;
  }
  void input(std::size_t s) {
    Stage &stage = stages_[s];
    add(stage, Opcode::backward_input, inputArrival(s), times_.input);
    stage.stored -= inputFrees;
    differentiated_[s * microbatches_ + stage.inputs++] = stage.time;
  }
  void weight(Stage &stage) {
    assert(stage.weights < stage.inputs && "a weight half before its input half");
    add(stage, Opcode::backward_weight, 0, times_.weight);
    stage.stored -= weightFrees;
    ++stage.weights;
  }
  void weightsUntil(std::size_t s, std::size_t count) {
    while (stages_[s].weights < count)
      weight(stages_[s]);
  }

  // The first microbatch, and as many forward passes as fit before its input half comes back.
  void warmUp() {
    for (std::size_t s = 0; s < stages_.size(); ++s)
      forward(s);
    const std::vector<std::size_t> more = moreForwards();
    for (std::size_t s = 0; s < stages_.size(); ++s)
      for (std::size_t k = 0; k < more[s]; ++k)
        forward(s);
    for (std::size_t s = stages_.size(); s-- > 0;)
      input(s);
  }

  // By stage: forward passes between the first one and the first input half.
  [[nodiscard]] std::vector<std::size_t> moreForwards() const {
    std::vector<std::size_t> more(stages_.size());
    std::int64_t back = stages_.back().time + times_.input; // end of the first input half on the stage behind
    for (std::size_t s = stages_.size() - 1; s-- > 0;) {
      more[s] = forwardsBefore(stages_[s], back + times_.message);
      const std::int64_t ready = stages_[s].time + static_cast<std::int64_t>(more[s]) * times_.forward;
      back = std::max(ready, back + times_.message) + times_.input;
    }
    // One fewer from stage to stage, but where all microbatches are under way.
    for (std::size_t s = 1; s < stages_.size(); ++s)
      if (1 + more[s] < microbatches_)
        more[s] = std::min(more[s], std::max<std::size_t>(more[s - 1], 1) - 1);
    return more;
  }
  [[nodiscard]] std::size_t forwardsBefore(const Stage &stage, std::int64_t arrival) const {
    std::size_t count = 0;
    std::int64_t time = stage.time, stored = stage.stored + forwardStores;
    while (1 + count < microbatches_ && stored <= most_ &&
           (choice_.idleBeforeFirstInput ? time + times_.forward <= arrival : time < arrival)) {
      time += times_.forward;
      stored += forwardStores;
      ++count;
    }
    return count;
  }

  // One forward pass each of the stages from some stage on.
  void forwardRound() {
    std::size_t first = stages_.size();
    while (first > 0 && wantsForward(first - 1))
      --first;
    for (std::size_t s = first; s < stages_.size(); ++s) {
      while (stages_[s].stored + forwardStores > most_)
        weight(stages_[s]);
      fillGap(stages_[s], forwardArrival(s));
      forward(s);
    }
  }

  // Not if the next stage lags by two forward passes, and the input half that it runs meanwhile comes back before this
  // forward pass could end: then the input half comes first, unless the stage would wait for it so long that it idled
  // most of all.
  [[nodiscard]] bool wantsForward(std::size_t s) const {
    const Stage &stage = stages_[s];
    if (stage.forwards == microbatches_)
      return false;
    if (!choice_.inputBeforeForward || isLast(s) || stage.forwards < stages_[s + 1].forwards + 2)
      return true;
    const std::int64_t needed = stages_[s + 1].time + times_.forward + times_.input + times_.message;
    if (stage.time >= needed)
      return false;
    if (stage.time + times_.forward + timeToMakeRoom(stage) <= needed)
      return true;
    return needed - stage.time > mostIdle_ - stage.idle;
  }
  [[nodiscard]] std::int64_t timeToMakeRoom(const Stage &stage) const {
    const std::int64_t excess = std::max<std::int64_t>(stage.stored + forwardStores - most_, 0);
    const std::int64_t halves = (excess + weightFrees - 1) / weightFrees;
    return std::min(halves, static_cast<std::int64_t>(stage.inputs - stage.weights)) * times_.weight;
  }

  // One input half of every stage, the last one first.
  void inputRound() {
    for (std::size_t s = stages_.size(); s-- > 0;) {
      fillGap(stages_[s], inputArrival(s));
      // Nothing waits for the first stage, so once it has run all forward passes it leaves nothing for later.
      if (s == 0 && stages_[0].forwards == microbatches_)
        weightsUntil(0, stages_[0].inputs);
      input(s);
    }
  }

  // Weight halves while the stage waits: all that fit, and one more if the stage idles too much otherwise.
  void fillGap(Stage &stage, std::int64_t arrival) {
    while (stage.weights < stage.inputs && stage.time + times_.weight <= arrival)
      weight(stage);
    const bool small = arrival - stage.time <= mostIdle_ - stage.idle;
    if (stage.weights < stage.inputs && stage.time < arrival && (choice_.fillSmallGaps || !small))
      weight(stage);
  }

  const Times times_;
  const Choice choice_;
  const std::int64_t most_; // that a stage may store
  const std::size_t microbatches_;
  std::vector<Stage> stages_;
  std::vector<std::int64_t> forwarded_;      // by stage and microbatch: end of the forward pass
  std::vector<std::int64_t> differentiated_; // the same of the input half
  std::int64_t mostIdle_ = 0;                // of any stage
};

} // namespace

Rows zeroBubbleRows(const Request &request, std::int64_t limit) {
  const Times times = {request.option("cost_f"), request.option("cost_i"), request.option("cost_w"),
                       request.option("cost_comm")};
  std::optional<Attempt> best;
  for (const bool idle : {true, false})
    for (const bool inputFirst : {true, false})
      for (const bool fill : {true, false}) {
        Attempt attempt(request, times, limit, {idle, inputFirst, fill});
        attempt.run();
        if (!best || attempt.duration() < best->duration())
          best.emplace(std::move(attempt));
      }
  return best->rows();
}

bool costsAreEven(const Request &request) {
  const std::int64_t time = request.option("cost_f");
  return request.option("cost_i") == time && request.option("cost_w") == time && request.option("cost_comm") == 0;
}

} // namespace plumbline::schedules
