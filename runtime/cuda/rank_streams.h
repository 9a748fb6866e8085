// The streams of one rank: one for each queue of the plan, and events where one queue waits for another.
//
// A step is enqueued between begin() and end(), on the streams of its queues. Its streams first wait for the ends of
// the steps that the plan has it wait for, as far as those stand in other queues; the order of a stream does the rest.
// So whatever is enqueued in that way runs as the model allows, whenever the host comes to enqueue it. All events are
// made beforehand.
#pragma once

#include "runtime/cuda/handles.h"
#include "runtime/plan/plan.h"
#include "verifier/ir/diagnostic.h"

#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <string>
#include <vector>

namespace plumbline::runtime::cuda {

class RankStreams {
public:
  // On the current device. `plan` must outlive it. Error: what CUDA refused.
  static Result<std::unique_ptr<RankStreams>> make(const Plan &plan, std::int32_t rank);

  [[nodiscard]] cudaStream_t compute() const { return streams_.front().get(); }
  // Of an instruction of this rank.
  [[nodiscard]] cudaStream_t of(InstructionIndex instruction) const {
    return streams_[parts_[partOf(instruction)].stream].get();
  }

  // Before the first and after the last work of a step is enqueued. What it waits for has been ended. Each: empty, or
  // what failed.
  std::string begin(StepIndex step);
  std::string end(StepIndex step);
  // The same for the stream of one member, when it has been enqueued. Once for every member is as good as end() once,
  // and several threads may do so.
  std::string endMember(InstructionIndex member);

  // Whether a launch that has been ended is done on the device. From any thread.
  bool done(StepIndex launch, std::string &wrong) const;
  // Whether nothing is left on any stream.
  bool idle(std::string &wrong) const;

private:
  // A step on one of its streams.
  struct Part {
    std::uint32_t stream = 0;
    Event ended; // null: nobody waits for it
    llvm::SmallVector<cudaEvent_t, 2> waits;
  };

  RankStreams(const Plan &plan, std::int32_t rank);
  void formParts();
  void formWaits(Calls &calls);
  [[nodiscard]] llvm::MutableArrayRef<Part> partsOf(StepIndex step);
  [[nodiscard]] llvm::ArrayRef<Part> partsOf(StepIndex step) const;
  [[nodiscard]] std::uint32_t partOf(InstructionIndex i) const { return partOf_[i - firstInstruction_]; }
  std::string record(const Part &part) const;

  const Plan &plan_;
  std::int32_t rank_;
  StepIndex firstStep_, endStep_;
  InstructionIndex firstInstruction_;
  std::vector<Stream> streams_; // by queue of the rank; the first is for computing
  std::vector<Part> parts_;
  std::vector<std::uint32_t> firstPart_; // by step of the rank, and the end
  std::vector<std::uint32_t> partOf_;    // by instruction of the rank
};

} // namespace plumbline::runtime::cuda
