#include "tests/differential/random_groups.h"
#include "tests/differential/random_programs.h"
#include "tests/differential/slot_book.h"

#include <algorithm>

namespace plumbline::oracle {
namespace {

// Where a value lies, and on which rank.
struct Place {
  PoolId pool;
  int slot = -1;
  Value value;
};

// What has happened to one stage for one microbatch.
struct Cell {
  bool forward = false;
  bool backward = false; // or its input half
  bool weight = false;
  bool inputHere = false;    // its message has been received, or the batch loaded
  bool gradientHere = false; // the same for the gradient of the output
  Place input;
  Place output;
  Place gradient;      // of the output
  Place inputGradient; // of the input
};

class PipelineWriter {
public:
  PipelineWriter(Random &random, int maxInstructions) : random_(random), book_(draft_, random) {
    drawShape(maxInstructions);
    drawStyle();
  }

  Program write() {
    while (step()) {
    }
    finishStep();
    exchangeNeighbours(draft_, random_, random_.chance(60) ? 0 : random_.between(1, 4));
    if (random_.chance(60))
      groupLines(draft_, random_, false);
    return programOf(draft_);
  }

private:
  void drawShape(int maxInstructions) {
    const int ranks = random_.between(1, 4);
    stages_ = ranks * random_.pickOf({1, 1, 2});
    microbatches_ = random_.between(1, 5);
    // A stage takes at most seven instructions for a microbatch.
    while (microbatches_ > 1 && stages_ * microbatches_ * 7 > maxInstructions)
      --microbatches_;
    while (stages_ > ranks && stages_ * 7 > maxInstructions)
      stages_ = ranks;
    draft_.ranks.resize(static_cast<std::size_t>(ranks));
    Program &header = draft_.header;
    header.stagesPerReplica = stages_;
    header.microbatches = microbatches_;
    const int placement = random_.below(4); // loop, V, random
    for (int s = 0; s < stages_; ++s) {
      const int looped = s % ranks;
      const int folded = (s / ranks) % 2 == 1 ? ranks - 1 - looped : looped;
      header.stages.push_back({RankId(placement < 2 ? looped : placement == 2 ? folded : random_.below(ranks))});
    }
    cells_.resize(static_cast<std::size_t>(stages_) * static_cast<std::size_t>(microbatches_));
    for (int r = 0; r < ranks; ++r) {
      const int most = random_.between(1, 4);
      const auto slots = [&] { return random_.between(1, most); };
      inputs_.push_back(book_.addPool("inputs", RankId(r), slots()));
      outputs_.push_back(book_.addPool("outputs", RankId(r), slots()));
      gradients_.push_back(book_.addPool("gradients", RankId(r), slots()));
      inputGradients_.push_back(book_.addPool("input_gradients", RankId(r), slots()));
    }
  }

  void drawStyle() {
    training_ = random_.chance(85);
    draft_.header.mode = training_ ? Mode::training : Mode::inference;
    split_ = random_.chance(30);
    inPlace_ = !split_ && random_.chance(50);
    backwardReadsOutput_ = random_.chance(40);
    loads_ = random_.chance(70);
    inTurn_ = random_.chance(85);
    backwardFirst_ = random_.pickOf({0, 50, 90});
    earlyReceives_ = random_.pickOf({0, 0, 50, 100});
    bytes_ = static_cast<std::uint64_t>(random_.pickOf({0, 8, 8, 16, 32, -1}));
    commsPolicy_ = random_.below(4);
    const int communicators = random_.between(1, 3);
    for (int c = 0; c < communicators; ++c) {
      Communicator communicator;
      communicator.name = "c" + std::to_string(c);
      communicator.room = random_.chance(75) ? -1 : random_.below(3);
      draft_.header.communicators.push_back(communicator);
    }
  }

  int rankOf(int s) const { return draft_.header.stages[static_cast<std::size_t>(s)].rank.value(); }
  Cell &cell(int s, int m) {
    return cells_[static_cast<std::size_t>(s) * static_cast<std::size_t>(microbatches_) + static_cast<std::size_t>(m)];
  }
  static Value value(ValueKind kind, int s, int m) { return {kind, StageId(s), MicrobatchId(m)}; }
  // The stage's neighbour takes the value from where it lies.
  bool local(int s, int t) const { return rankOf(s) == rankOf(t); }

  Line &append(int s, int m, Opcode opcode) {
    Instruction i;
    i.opcode = opcode;
    i.stage = StageId(s);
    i.microbatch = MicrobatchId(m);
    return draft_.append(rankOf(s), i);
  }

  Line &appendMessage(int s, int peerStage, int m, Opcode opcode) {
    Line &line = append(s, m, opcode);
    const int count = static_cast<int>(draft_.header.communicators.size());
    const int own = rankOf(s);
    const int peer = rankOf(peerStage);
    const bool isForward = opcode == Opcode::send_activation || opcode == Opcode::receive_activation;
    const int from = isSend(opcode) ? own : peer;
    const int to = isSend(opcode) ? peer : own;
    const int choice = commsPolicy_ == 0   ? 0
                       : commsPolicy_ == 1 ? (isForward ? 0 : 1)
                       : commsPolicy_ == 2 ? std::min(own, peer) + std::max(own, peer)
                                           : from * 5 + to;
    line.instruction.peer = RankId(peer);
    line.instruction.communicator = CommunicatorId(choice % count);
    line.instruction.bytes = bytes_ == static_cast<std::uint64_t>(-1)
                                 ? static_cast<std::uint64_t>((std::min(s, peerStage) + 2 * m) % 3 * 8)
                                 : bytes_;
    return line;
  }

  void write(Line &line, Place &place, PoolId pool, Value v, int reads) {
    place = {pool, book_.take(pool), v};
    book_.write(line, pool, place.slot, v, reads);
  }
  void read(Line &line, const Place &place) { book_.read(line, place.pool, place.slot, place.value); }

  int readsOfInput() const { return training_ ? (split_ ? 3 : 2) : 1; }
  int readsOfGradient() const { return split_ ? 2 : 1; }

  void receiveActivation(int s, int m) {
    Cell &c = cell(s, m);
    c.inputHere = true;
    write(appendMessage(s, s - 1, m, Opcode::receive_activation), c.input, inputs_[rankOf(s)],
          value(ValueKind::input, s, m), readsOfInput());
  }

  void receiveGradient(int s, int m) {
    Cell &c = cell(s, m);
    c.gradientHere = true;
    write(appendMessage(s, s + 1, m, Opcode::receive_gradient), c.gradient, gradients_[rankOf(s)],
          value(ValueKind::output_gradient, s, m), readsOfGradient());
  }

  void forward(int s, int m) {
    Cell &c = cell(s, m);
    const bool fromNeighbour = s > 0 && local(s - 1, s);
    if (fromNeighbour) {
      c.input = cell(s - 1, m).output;
    } else if (s > 0 && !c.inputHere) {
      receiveActivation(s, m);
    } else if (s == 0 && loads_) {
      write(append(s, m, Opcode::load_microbatch), c.input, inputs_[rankOf(s)], value(ValueKind::input, s, m),
            readsOfInput());
    }
    Line &line = append(s, m, Opcode::forward);
    if (c.input.slot >= 0)
      read(line, c.input);
    const bool last = s == stages_ - 1;
    const bool readBack = training_ && backwardReadsOutput_;
    // A neighbour on this rank reads it in its own passes.
    const int readsNext = last ? 0 : local(s, s + 1) ? readsOfInput() : 1;
    if (readsNext + (readBack ? 1 : 0) > 0)
      write(line, c.output, outputs_[rankOf(s)], value(ValueKind::output, s, m), readsNext + (readBack ? 1 : 0));
    c.forward = true;
    if (last || local(s, s + 1))
      return;
    read(appendMessage(s, s + 1, m, Opcode::send_activation), c.output);
    if (random_.chance(earlyReceives_))
      receiveActivation(s + 1, m);
  }

  void backward(int s, int m) {
    Cell &c = cell(s, m);
    const bool last = s == stages_ - 1;
    if (!last && local(s, s + 1))
      c.gradient = cell(s + 1, m).inputGradient;
    else if (!last && !c.gradientHere)
      receiveGradient(s, m);
    Line &line = append(s, m, split_ ? Opcode::backward_input : Opcode::backward);
    if (c.input.slot >= 0)
      read(line, c.input);
    if (backwardReadsOutput_)
      read(line, c.output);
    if (c.gradient.slot >= 0)
      read(line, c.gradient);
    c.backward = true;
    if (s == 0)
      return;
    const int reads = local(s - 1, s) ? readsOfGradient() : 1;
    const Value made = value(ValueKind::input_gradient, s, m);
    if (inPlace_ && !local(s - 1, s)) {
      c.inputGradient = {c.input.pool, c.input.slot, made};
      book_.write(line, c.input.pool, c.input.slot, made, reads);
    } else {
      write(line, c.inputGradient, inputGradients_[rankOf(s)], made, reads);
    }
    if (local(s - 1, s))
      return;
    read(appendMessage(s, s - 1, m, Opcode::send_gradient), c.inputGradient);
    if (random_.chance(earlyReceives_))
      receiveGradient(s - 1, m);
  }

  void backwardWeight(int s, int m) {
    Cell &c = cell(s, m);
    Line &line = append(s, m, Opcode::backward_weight);
    if (c.input.slot >= 0)
      read(line, c.input);
    if (c.gradient.slot >= 0)
      read(line, c.gradient);
    c.weight = true;
  }

  struct Task {
    int stage;
    int microbatch;
    Opcode opcode;
  };

  // Whether the microbatches before m have passed this point of the stage, where order is kept.
  bool isTurn(int s, int m, bool Cell::*passed) { return !inTurn_ || m == 0 || cell(s, m - 1).*passed; }

  // Does one pass that may be done now, drawn from all of those.
  bool step() {
    std::vector<Task> forwards;
    std::vector<Task> others;
    for (int s = 0; s < stages_; ++s)
      for (int m = 0; m < microbatches_; ++m) {
        const Cell &c = cell(s, m);
        if (!c.forward && (s == 0 || cell(s - 1, m).forward) && isTurn(s, m, &Cell::forward))
          forwards.push_back({s, m, Opcode::forward});
        if (training_ && c.forward && !c.backward && (s == stages_ - 1 || cell(s + 1, m).backward) &&
            isTurn(s, m, &Cell::backward))
          others.push_back({s, m, Opcode::backward});
        if (training_ && split_ && c.backward && !c.weight && isTurn(s, m, &Cell::weight))
          others.push_back({s, m, Opcode::backward_weight});
      }
    if (forwards.empty() && others.empty())
      return false;
    const bool other = forwards.empty() || (!others.empty() && random_.chance(backwardFirst_));
    const Task task = random_.pick(other ? others : forwards);
    if (task.opcode == Opcode::forward)
      forward(task.stage, task.microbatch);
    else if (task.opcode == Opcode::backward)
      backward(task.stage, task.microbatch);
    else
      backwardWeight(task.stage, task.microbatch);
    return true;
  }

  void finishStep() {
    if (!training_)
      return;
    const bool reduce = random_.chance(20);
    const bool together = random_.chance(50);
    const bool optimize = random_.chance(30);
    for (int r = 0; r < static_cast<int>(draft_.ranks.size()); ++r) {
      Instruction i;
      if (reduce) {
        i.opcode = Opcode::reduce_gradients;
        i.communicator = together ? CommunicatorId(0) : CommunicatorId();
        draft_.append(r, i);
      }
      if (!optimize)
        continue;
      i.opcode = Opcode::optimizer_step;
      i.communicator = CommunicatorId();
      std::vector<int> all;
      for (const Line &line : draft_.ranks[static_cast<std::size_t>(r)])
        all.push_back(line.key);
      draft_.append(r, i).waits = all;
    }
  }

  Random &random_;
  Draft draft_;
  SlotBook book_;
  int stages_ = 0;
  int microbatches_ = 0;
  bool training_ = true;
  bool split_ = false;
  bool inPlace_ = false;
  bool backwardReadsOutput_ = false;
  bool loads_ = false;
  bool inTurn_ = true;    // microbatches keep their order
  int backwardFirst_ = 0; // percent
  int earlyReceives_ = 0; // percent of receives that are posted when the send is, not right before their use
  int commsPolicy_ = 0;
  std::uint64_t bytes_ = 0;
  std::vector<Cell> cells_;
  std::vector<PoolId> inputs_; // this and the next: per rank
  std::vector<PoolId> outputs_;
  std::vector<PoolId> gradients_;
  std::vector<PoolId> inputGradients_;
};

} // namespace

Program randomPipeline(Random &random, int maxInstructions) { return PipelineWriter(random, maxInstructions).write(); }

} // namespace plumbline::oracle
