#include "tests/differential/random_groups.h"
#include "tests/differential/random_programs.h"
#include "tests/differential/slot_book.h"

namespace plumbline::oracle {
namespace {

class SoupWriter {
public:
  explicit SoupWriter(Random &random) : random_(random), book_(draft_, random) {
    const int ranks = random.pickOf({1, 2, 2, 3, 3, 4});
    draft_.ranks.resize(static_cast<std::size_t>(ranks));
    draft_.header.mode = Mode::fragment;
    draft_.header.stagesPerReplica = ranks;
    draft_.header.microbatches = microbatches;
    for (int r = 0; r < ranks; ++r) {
      draft_.header.stages.push_back({RankId(r)});
      const int pools = random.between(1, 2);
      for (int p = 0; p < pools; ++p)
        pools_.push_back(book_.addPool(p == 0 ? "a" : "b", RankId(r), random.between(1, 4)));
    }
    const int communicators = random.between(1, 3);
    for (int c = 0; c < communicators; ++c)
      draft_.header.communicators.push_back(randomCommunicator(c));
    sizes_ = random.below(3);
    strayWaits_ = random.pickOf({0, 0, 20});
    straySlots_ = random.pickOf({0, 0, 10});
  }

  Program write(int maxInstructions) {
    const int wanted = random_.between(4, maxInstructions);
    while (count() < wanted)
      step();
    exchangeNeighbours(draft_, random_, random_.pickOf({0, 0, 2, 4, 8}));
    if (random_.chance(60))
      groupLines(draft_, random_, true);
    return programOf(draft_);
  }

private:
  static constexpr int microbatches = 4;

  int ranks() const { return static_cast<int>(draft_.ranks.size()); }
  int count() const {
    std::size_t lines = 0;
    for (const std::vector<Line> &rank : draft_.ranks)
      lines += rank.size();
    return static_cast<int>(lines);
  }

  Communicator randomCommunicator(int c) {
    Communicator communicator;
    communicator.name = "c" + std::to_string(c);
    communicator.room = random_.chance(75) ? -1 : random_.below(3);
    if (random_.chance(50))
      for (int r = 0; r < ranks(); ++r)
        if (random_.chance(70))
          communicator.members.push_back(RankId(r));
    return communicator;
  }

  Line &append(int rank, Opcode opcode) {
    Instruction i;
    i.opcode = opcode;
    i.stage = StageId(rank);
    i.microbatch = MicrobatchId(random_.below(microbatches));
    Line &line = draft_.append(rank, i);
    std::vector<Line> &lines = draft_.ranks[static_cast<std::size_t>(rank)];
    if (lines.size() > 1 && random_.chance(strayWaits_))
      line.waits.push_back(lines[static_cast<std::size_t>(random_.below(static_cast<int>(lines.size()) - 1))].key);
    return line;
  }

  void step() {
    const int kind = random_.below(100);
    if (kind < 42 && ranks() > 1)
      transfer();
    else if (kind < 50)
      collective();
    else if (kind < 54 && ranks() > 1)
      message(random_.below(ranks()), -1, random_.chance(50) ? Opcode::send_message : Opcode::receive_message);
    else
      compute();
  }

  // A value that differs from all others, or now and then one that has been used.
  Value newValue(int rank) {
    if (!used_.empty() && random_.chance(straySlots_))
      return random_.pick(used_);
    const int n = static_cast<int>(used_.size());
    used_.push_back(
        {static_cast<ValueKind>(n % valueKindCount), StageId(rank), MicrobatchId(n / valueKindCount % microbatches)});
    return used_.back();
  }

  PoolId poolOf(int rank) {
    std::vector<PoolId> own;
    for (const PoolId p : pools_)
      if (draft_.header.pools[static_cast<std::size_t>(p.value())].rank == RankId(rank))
        own.push_back(p);
    return random_.pick(own);
  }

  void readSomething(Line &line) {
    const PoolId pool = poolOf(line.instruction.rank.value());
    const int slot = random_.below(book_.slots(pool));
    Value value = book_.valueIn(pool, slot);
    if (!value.stage.valid()) { // nothing has been written there yet
      if (!random_.chance(straySlots_))
        return;
      value = newValue(line.instruction.rank.value());
    } else if (random_.chance(straySlots_)) {
      value = random_.pick(used_);
    }
    book_.read(line, pool, slot, value);
  }

  void writeSomething(Line &line) {
    const PoolId pool = poolOf(line.instruction.rank.value());
    book_.write(line, pool, book_.take(pool), newValue(line.instruction.rank.value()), random_.between(1, 2));
  }

  void compute() {
    Line &line = append(random_.below(ranks()), random_.pickOf({Opcode::compute, Opcode::forward, Opcode::recompute}));
    for (int n = random_.below(3); n > 0; --n)
      readSomething(line);
    if (!random_.chance(60))
      return;
    if (!line.accesses.empty() && random_.chance(30)) { // in place
      const SlotAccess a = line.accesses.front();
      book_.write(line, a.pool, a.slot, newValue(line.instruction.rank.value()), 1);
    } else {
      writeSomething(line);
    }
  }

  std::uint64_t randomBytes() {
    return static_cast<std::uint64_t>(sizes_ == 0 ? 0 : sizes_ == 1 ? 8 : random_.pickOf({0, 4, 8, 16, 32}));
  }

  Line &message(int rank, int peer, Opcode opcode) {
    Line &line = append(rank, opcode);
    line.instruction.peer = RankId(peer >= 0 ? peer : (rank + random_.between(1, ranks() - 1)) % ranks());
    line.instruction.communicator = CommunicatorId(random_.below(static_cast<int>(draft_.header.communicators.size())));
    line.instruction.bytes = randomBytes();
    return line;
  }

  void transfer() {
    const int from = random_.below(ranks());
    const int to = (from + random_.between(1, ranks() - 1)) % ranks();
    Line &send = message(from, to, Opcode::send_message);
    const Instruction sent = send.instruction;
    if (random_.chance(70))
      readSomething(send);
    Line &receive = message(to, from, Opcode::receive_message);
    receive.instruction.communicator = sent.communicator;
    receive.instruction.bytes = sent.bytes;
    if (random_.chance(80))
      writeSomething(receive);
  }

  void collective() {
    const Opcode opcode = random_.pickOf(
        {Opcode::broadcast, Opcode::all_reduce, Opcode::reduce_gradients, Opcode::unshard, Opcode::reshard});
    const int c = random_.below(static_cast<int>(draft_.header.communicators.size()));
    const Communicator &communicator = draft_.header.communicators[static_cast<std::size_t>(c)];
    const bool alone = opcode != Opcode::broadcast && opcode != Opcode::all_reduce && random_.chance(20);
    const int root = communicator.members.empty() ? 0 : communicator.members.front().value();
    for (int r = 0; r < ranks(); ++r) {
      const bool isMember = communicator.members.empty() || llvm::is_contained(communicator.members, RankId(r));
      if (!isMember || random_.chance(2))
        continue;
      Line &line = append(r, opcode);
      line.instruction.peer = opcode == Opcode::broadcast ? RankId(root) : RankId();
      line.instruction.communicator = alone ? CommunicatorId() : CommunicatorId(c);
    }
  }

  Random &random_;
  Draft draft_;
  SlotBook book_;
  std::vector<PoolId> pools_;
  std::vector<Value> used_;
  int sizes_ = 0;
  int strayWaits_ = 0; // percent
  int straySlots_ = 0; // percent
};

} // namespace

Program randomSoup(Random &random, int maxInstructions) { return SoupWriter(random).write(maxInstructions); }

Program randomProgram(Random &random) { return random.chance(50) ? randomPipeline(random) : randomSoup(random); }

} // namespace plumbline::oracle
