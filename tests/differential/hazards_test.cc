#include "tests/differential/hazards.h"

#include "tests/differential/executor.h"
#include "verifier/ir/builder.h"

#include "gtest/gtest.h"

#include <algorithm>

namespace plumbline::oracle {
namespace {

using model::Options;

Value valueOf(int n) { return {ValueKind::other, StageId(), MicrobatchId(n)}; }
SlotAccess reads(int n, int slot = 0) { return {PoolId(0), slot, AccessMode::read, valueOf(n)}; }
SlotAccess writes(int n, int slot = 0) { return {PoolId(0), slot, AccessMode::write, valueOf(n)}; }

// A rank with one pool. `compute` runs on the compute lane; `load` on a lane of its own, because it is a collective
// of this rank alone.
class OneRank {
public:
  OneRank() {
    builder_.addPool({"pool", RankId(0), -1, -1, {}});
    builder_.addCommunicator({"self", {RankId(0)}, -1});
    builder_.beginRank();
  }
  InstructionId compute(llvm::ArrayRef<SlotAccess> accesses, llvm::ArrayRef<InstructionId> waits = {}) {
    return builder_.append(Instruction(), accesses, waits);
  }
  InstructionId load(llvm::ArrayRef<SlotAccess> accesses, llvm::ArrayRef<InstructionId> waits = {}) {
    Instruction i;
    i.opcode = Opcode::unshard;
    i.communicator = CommunicatorId(0);
    return builder_.append(i, accesses, waits);
  }
  // An instruction that never ends.
  InstructionId hang(llvm::ArrayRef<SlotAccess> accesses) {
    Instruction i;
    i.opcode = Opcode::receive_message;
    i.peer = RankId(0);
    i.communicator = CommunicatorId(0);
    return builder_.append(i, accesses);
  }
  Program take() {
    Program program = std::move(builder_).take();
    EXPECT_EQ(validate(program), "");
    return program;
  }

private:
  ProgramBuilder builder_;
};

std::string hazardsOf(const Program &program) {
  std::string text;
  for (const Hazard &h : findHazards(program, Options()).hazards)
    text += std::string(name(h.kind)) + " " + std::to_string(h.first.value()) + " " + std::to_string(h.second.value()) +
            (h.pendingReader ? "?" : "") + ";";
  return text;
}

TEST(Hazards, OneLaneHasNone) {
  OneRank r;
  r.compute(writes(0));
  r.compute(reads(0));
  r.compute(writes(1));
  r.compute(reads(1));
  const Program p = r.take();
  EXPECT_EQ(hazardsOf(p), "");
  EXPECT_TRUE(findHazards(p, Options()).leaks.empty());
  EXPECT_EQ(leastSlots(p, Options(), PoolId(0)), 1);
}

TEST(Hazards, WriteThatDoesNotWaitForAReader) {
  OneRank r;
  r.compute(writes(0));
  r.compute(reads(0));
  const InstructionId overwrite = r.load(writes(1));
  r.compute(reads(1), overwrite);
  EXPECT_EQ(hazardsOf(r.take()), "WAR 1 2;");
}

TEST(Hazards, WriteThatWaitsForTheReader) {
  OneRank r;
  r.compute(writes(0));
  const InstructionId read = r.compute(reads(0));
  const InstructionId overwrite = r.load(writes(1), read);
  r.compute(reads(1), overwrite);
  EXPECT_EQ(hazardsOf(r.take()), "");
}

TEST(Hazards, WriteThatWaitsForOneReaderOfTwo) {
  OneRank r;
  const InstructionId written = r.compute(writes(0));
  const InstructionId read = r.compute(reads(0));
  r.load(reads(0), written);
  r.compute(writes(1), read);
  r.compute(reads(1));
  EXPECT_EQ(hazardsOf(r.take()), "WAR 2 3;");
}

TEST(Hazards, ReadThatDoesNotWait) {
  OneRank r;
  const InstructionId written = r.load(writes(0));
  r.compute(reads(0));
  r.compute(reads(0), written);
  EXPECT_EQ(hazardsOf(r.take()), "RAW 1 0;");
}

TEST(Hazards, ReadOfWhatNothingWrites) {
  OneRank r;
  r.compute(writes(0));
  r.compute({reads(0), reads(7)});
  EXPECT_EQ(hazardsOf(r.take()), "RAW 1 -1;");
}

TEST(Hazards, ReadOfOwnWrite) {
  OneRank r;
  r.compute({writes(0), reads(0)});
  EXPECT_EQ(hazardsOf(r.take()), "RAW 0 0;");
}

TEST(Hazards, ReadOfAValueThatIsGone) {
  OneRank r;
  r.compute(writes(0));
  r.compute(reads(0));
  r.compute(writes(1));
  r.compute(reads(1));
  r.compute(reads(0));
  EXPECT_EQ(hazardsOf(r.take()), "WAR 4 2;");
}

TEST(Hazards, SameValueWrittenAgain) {
  OneRank r;
  r.compute(writes(0));
  r.compute(reads(0));
  r.compute(writes(1));
  r.compute(reads(1));
  r.compute(writes(0));
  r.compute(reads(0));
  EXPECT_EQ(hazardsOf(r.take()), "");
}

TEST(Hazards, SameValueWrittenAgainAtAnyTime) {
  const auto ambiguous = [](bool waits) {
    OneRank r;
    const InstructionId first = r.load(writes(0));
    const InstructionId read = r.compute(reads(0), first);
    r.load(writes(0), waits ? llvm::ArrayRef<InstructionId>(read) : llvm::ArrayRef<InstructionId>());
    const Program p = r.take();
    const Layout layout(p, Options());
    const Instances instances(layout);
    EXPECT_EQ(findHazards(instances).hazards.empty(), waits);
    return instances.ambiguous();
  };
  EXPECT_TRUE(ambiguous(false));
  EXPECT_FALSE(ambiguous(true));
}

TEST(Hazards, OverwrittenUnread) {
  OneRank r;
  r.compute(writes(0));
  r.compute(writes(1));
  r.compute(reads(1));
  EXPECT_EQ(hazardsOf(r.take()), "WAW 0 1;");
}

TEST(Hazards, TwoWritesAtOnce) {
  OneRank r;
  const InstructionId first = r.compute(writes(0));
  const InstructionId second = r.load(writes(1));
  r.compute(reads(0), first);
  r.compute(reads(1), second);
  EXPECT_NE(hazardsOf(r.take()), "");
}

TEST(Hazards, NeverReadNorOverwrittenIsALeak) {
  OneRank r;
  r.compute(writes(0));
  r.compute(reads(0));
  r.compute(writes(1));
  const Program p = r.take();
  EXPECT_EQ(hazardsOf(p), "");
  const std::vector<Leak> leaks = findHazards(p, Options()).leaks;
  ASSERT_EQ(leaks.size(), 1U);
  EXPECT_EQ(leaks[0].writer, InstructionId(2));
}

TEST(Hazards, InPlace) {
  OneRank r;
  r.compute(writes(0));
  r.compute({reads(0), writes(1)});
  r.compute(reads(1));
  const Program p = r.take();
  EXPECT_EQ(hazardsOf(p), "");
  EXPECT_EQ(leastSlots(p, Options(), PoolId(0)), 1);
}

TEST(Hazards, InPlaceWhileAnotherStillReads) {
  OneRank r;
  const InstructionId written = r.compute(writes(0));
  r.load(reads(0), written);
  r.compute({reads(0), writes(1)});
  r.compute(reads(1));
  EXPECT_EQ(hazardsOf(r.take()), "WAR 1 2;");
}

TEST(Hazards, MembersOfAGroupOverlap) {
  OneRank r;
  r.compute(writes(0));
  r.compute(reads(0));
  r.compute(writes(1));
  r.compute(reads(1));
  Program p = r.take();
  p.groupCount = 1;
  p.instructions[1].group = p.instructions[2].group = GroupId(0);
  EXPECT_EQ(hazardsOf(p), "WAR 1 2;");
}

TEST(Hazards, OnlyWhatBeginsCounts) {
  OneRank r;
  r.compute(writes(0));
  const InstructionId stuck = r.hang(reads(0)); // begins, and reads for ever
  r.compute(writes(1));
  r.compute({reads(1), writes(2)}, stuck);
  const Program p = r.take();
  EXPECT_TRUE(hangs(p, Options()));
  EXPECT_EQ(hazardsOf(p), "RAW 1 0;WAR 1 2;");
  EXPECT_EQ(leastSlots(p, Options(), PoolId(0)), std::nullopt);
}

TEST(Hazards, ReaderThatNeverBegins) {
  OneRank r;
  r.compute(writes(0));
  r.compute(writes(1));
  const InstructionId stuck = r.hang({});
  r.load(reads(0), stuck);
  EXPECT_EQ(hazardsOf(r.take()), "WAW 0 1?;");
}

TEST(LeastSlots, CountsWhatMayLiveAtOnce) {
  OneRank r;
  r.compute(writes(0, 0));
  r.compute(writes(1, 1));
  const InstructionId read = r.compute(reads(0, 0));
  r.compute(reads(1, 1));
  r.compute(writes(2, 2));
  const InstructionId loaded = r.load(writes(3, 3), read);
  r.compute({reads(2, 2), reads(3, 3)}, loaded);
  // Value 3 may be loaded while 1 is alive, and 2 with it, but 1 is over when 2 is written.
  EXPECT_EQ(leastSlots(r.take(), Options(), PoolId(0)), 2);
}

TEST(LeastSlots, UnreadValuesStay) {
  OneRank r;
  r.compute(writes(0, 0));
  r.compute(writes(1, 1));
  r.compute(writes(2, 2));
  r.compute(reads(2, 2));
  EXPECT_EQ(leastSlots(r.take(), Options(), PoolId(0)), 3);
}

// The training schedule of DeepSpeed's engine as TrainSchedule.steps() yields it, with its pool `inputs`, as section 5
// of the design page describes it. Up to the repair of DeepSpeed#2800 (pull request 2862) activations are exchanged
// before gradients, since then gradients go first.
class DeepSpeedSchedule {
public:
  DeepSpeedSchedule(int stages, int microbatches, bool gradientsFirst, llvm::ArrayRef<int> slots)
      : stages_(stages), microbatches_(microbatches), gradientsFirst_(gradientsFirst) {
    builder_.setStages(stages, 1);
    builder_.addCommunicator({"pipeline", {}, -1});
    for (int s = 0; s < stages; ++s) {
      builder_.addPool({"inputs", RankId(s), slots[static_cast<std::size_t>(s)], -1, {}});
      builder_.beginRank();
      slots_ = slots[static_cast<std::size_t>(s)];
      writeStage(s);
    }
  }
  Program take() { return std::move(builder_).take(); }

private:
  // Step t of stage s: a forward where both are of one parity, else a backward pass; -1 where there is none.
  int microbatchAt(int s, int t) const {
    const bool isForward = t % 2 == s % 2;
    const int first = isForward ? s : 2 * stages_ - s - 1;
    const int m = (t - first) / 2;
    return t >= first && m < microbatches_ ? m : -1;
  }

  void writeStage(int s) {
    for (int t = 0; t < 2 * (microbatches_ + stages_ - 1); ++t) {
      const bool isForward = t % 2 == s % 2;
      const int now = microbatchAt(s, t);
      const int before = t > 0 ? microbatchAt(s, t - 1) : -1;
      const auto activation = [&] {
        if (isForward && s > 0 && now >= 0)
          append(s, Opcode::receive_activation, now, s - 1, {{ValueKind::input, AccessMode::write}});
        if (!isForward && s + 1 < stages_ && before >= 0)
          append(s, Opcode::send_activation, before, s + 1, {});
      };
      if (!gradientsFirst_)
        activation();
      if (isForward && s > 0 && before >= 0)
        append(s, Opcode::send_gradient, before, s - 1, {{ValueKind::input_gradient, AccessMode::read}});
      if (!isForward && s + 1 < stages_ && now >= 0)
        append(s, Opcode::receive_gradient, now, s + 1, {});
      if (gradientsFirst_)
        activation();
      if (isForward && s == 0 && now >= 0)
        append(s, Opcode::load_microbatch, now, -1, {{ValueKind::input, AccessMode::write}});
      if (now < 0)
        continue;
      if (isForward)
        append(s, Opcode::forward, now, -1, {{ValueKind::input, AccessMode::read}});
      else if (s == 0)
        append(s, Opcode::backward, now, -1, {{ValueKind::input, AccessMode::read}});
      else
        append(s, Opcode::backward, now, -1,
               {{ValueKind::input, AccessMode::read}, {ValueKind::input_gradient, AccessMode::write}});
    }
  }

  struct Touch {
    ValueKind kind;
    AccessMode mode;
  };

  void append(int s, Opcode opcode, int m, int peer, llvm::ArrayRef<Touch> touches) {
    Instruction i;
    i.opcode = opcode;
    i.stage = StageId(s);
    i.microbatch = MicrobatchId(m);
    if (peer >= 0) {
      i.peer = RankId(peer);
      i.communicator = CommunicatorId(0);
    }
    llvm::SmallVector<SlotAccess> accesses;
    for (const Touch &touch : touches)
      accesses.push_back({PoolId(s), m % slots_, touch.mode, {touch.kind, StageId(s), MicrobatchId(m)}});
    builder_.append(i, accesses);
  }

  int stages_;
  int microbatches_;
  bool gradientsFirst_;
  int slots_ = 1;
  ProgramBuilder builder_;
};

std::vector<int> leastOf(const Program &p, const Options &o) {
  std::vector<int> least;
  for (std::size_t pool = 0; pool < p.pools.size(); ++pool)
    least.push_back(leastSlots(p, o, PoolId(static_cast<int>(pool))).value_or(-1));
  return least;
}

std::vector<int> ranksWithHazards(const Program &p, const Options &o) {
  std::vector<int> ranks;
  for (const Hazard &h : findHazards(p, o).hazards)
    if (const int rank = p.pools[static_cast<std::size_t>(h.pool.value())].rank.value();
        std::find(ranks.begin(), ranks.end(), rank) == ranks.end())
      ranks.push_back(rank);
  return ranks;
}

// The table of section 5 of the design page.
TEST(LeastSlots, OfDeepSpeedsTrainingSchedule) {
  Options blocking;
  blocking.kind = model::Kind::blocking;
  const Program old = DeepSpeedSchedule(4, 8, false, {5, 4, 3, 2}).take();
  ASSERT_FALSE(hangs(old, blocking));
  EXPECT_EQ(leastOf(old, blocking), (std::vector<int>{4, 4, 3, 2}));
  EXPECT_EQ(ranksWithHazards(old, blocking), std::vector<int>());
  const Program naive = DeepSpeedSchedule(4, 8, false, {4, 3, 2, 2}).take();
  EXPECT_EQ(leastOf(naive, blocking), (std::vector<int>{4, 4, 3, 2}));
  EXPECT_EQ(ranksWithHazards(naive, blocking), (std::vector<int>{1, 2}));
  const Program repaired = DeepSpeedSchedule(4, 8, true, {4, 3, 2, 2}).take();
  ASSERT_FALSE(hangs(repaired, blocking));
  EXPECT_EQ(leastOf(repaired, blocking), (std::vector<int>{4, 3, 2, 1}));
  EXPECT_EQ(ranksWithHazards(repaired, blocking), std::vector<int>());
}

} // namespace
} // namespace plumbline::oracle
