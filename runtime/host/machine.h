// The host backend's machine: which steps have begun, which instructions are done, and what may happen next.
//
// It keeps real queues. A step begins when all that it has to wait for on its rank has ended; a message then is posted
// to its channel, where the n-th send meets the n-th receive, and moves when both are there (or when the model's room
// lets it). Nobody decides beforehand who meets whom. The machine itself never waits and has no thread: whoever lets an
// event happen gets the events that have become possible by it, in an Agenda. runtime/host/threads.h lets them happen
// at once, from the threads of all ranks; runtime/host/timing.h one at a time, in any legal order.
#pragma once

#include "runtime/plan/plan.h"

#include "llvm/ADT/SmallVector.h"

#include <atomic>
#include <memory>
#include <mutex>

namespace plumbline::runtime {

struct Event {
  enum class Kind : std::uint8_t { begin, complete } kind = Kind::begin;
  std::uint32_t index = 0; // of a step to begin, or of an instruction to complete
};
using Agenda = llvm::SmallVector<Event, 16>;

// What an execution does to memory. Calls for different instructions may come from several threads at once; those for
// one instruction come one after another. The default does nothing.
class Effects {
public:
  virtual ~Effects() = default;
  // The instruction begins, or is done. Between the two it uses its slots.
  virtual void began(InstructionIndex) {}
  virtual void completed(InstructionIndex) {}
  // Moves a message from the slot of the send to the slot of the receive, while both are in use.
  virtual void transfer(InstructionIndex /*send*/, InstructionIndex /*receive*/) {}
  // Takes a copy of what is sent, before its receive has begun; and hands that copy out.
  virtual void keep(InstructionIndex /*send*/) {}
  virtual void deliver(InstructionIndex /*send*/, InstructionIndex /*receive*/) {}
  // Carries out a collective, while all its members are in use.
  virtual void carryOut(const Collective &) {}
};

// Where other ranks are not in this process: takes what needs them. Whoever implements it lets the completion of the
// instruction happen once the message has moved, or the collective is done.
class Remote {
public:
  virtual ~Remote() = default;
  virtual void post(InstructionIndex instruction) = 0;
};

class Machine {
public:
  // Plan and effects must outlive the machine. With a `remote`, messages and collectives go there, and the machine is
  // for one rank; then the plan has neither room nor atomic groups, nor host steps.
  Machine(const Plan &plan, Effects &effects, Remote *remote = nullptr);

  // Back to the start of a step of training. Nothing may be going on.
  void reset();
  // Adds the steps of a rank that wait for nothing.
  void start(std::int32_t rank, Agenda &agenda) const;
  // Lets one event of an agenda happen, which must happen once; adds what it makes possible. May be called from several
  // threads at once. Work of the rank itself (Instructions that need no others) is the caller's, between the begin of
  // its step and its completion.
  void happen(Event event, Agenda &agenda);

  // For reports, while nothing is going on.
  [[nodiscard]] bool begun(StepIndex step) const { return steps_[step].begun.load(std::memory_order_relaxed); }
  [[nodiscard]] bool ended(StepIndex step) const { return left(step) == 0; }
  [[nodiscard]] bool finished() const;
  // Of one rank; at any time, but not true before it is.
  [[nodiscard]] bool finished(std::int32_t rank) const;

private:
  struct StepState {
    std::atomic<std::uint32_t> waiting{0}; // prerequisites that have not ended
    std::atomic<std::uint32_t> left{0};    // members that are not done; of a host step: 1
    std::atomic<bool> begun{false};
  };
  // One message of a channel without room: whoever comes second finds the first.
  using Meet = std::atomic<InstructionIndex>;
  struct BufferedMessage {
    InstructionIndex send = none, receive = none; // once they have begun
    bool kept = false, arrived = false, received = false, sent = false;
  };
  struct BufferedChannel {
    std::mutex mutex;
    std::vector<BufferedMessage> messages;
  };

  [[nodiscard]] std::uint32_t left(StepIndex step) const { return steps_[step].left.load(std::memory_order_relaxed); }
  void begin(StepIndex step, Agenda &agenda);
  void complete(InstructionIndex instruction, Agenda &agenda);
  void post(InstructionIndex instruction, Agenda &agenda);
  void postBuffered(InstructionIndex instruction, Agenda &agenda);
  void freeRoom(InstructionIndex receive, Agenda &agenda);
  bool trySend(BufferedChannel &channel, BufferedMessage &message);
  void join(InstructionIndex instruction, Agenda &agenda);
  void tie(std::uint32_t component, Agenda &agenda);
  void meet(StepIndex step, Agenda &agenda);
  void endMeeting(std::uint32_t meeting, Agenda &agenda);
  void end(StepIndex step, Agenda &agenda);

  const Plan &plan_;
  Effects &effects_;
  Remote *remote_;
  std::vector<StepState> steps_;
  std::vector<std::uint32_t> firstMeet_; // per channel: index of its first message in meets_
  std::vector<Meet> meets_;
  std::vector<std::unique_ptr<BufferedChannel>> buffered_;  // per channel; null: it has no room
  std::vector<std::atomic<std::uint32_t>> joined_;          // per collective
  std::vector<std::atomic<std::uint32_t>> tied_;            // per component: steps that have begun
  std::vector<std::vector<InstructionIndex>> tiedMessages_; // per component
  std::vector<std::atomic<std::uint32_t>> missing_;         // per meeting: hosts that have not come
};

} // namespace plumbline::runtime
