#include "runtime/cuda/rank_streams.h"

#include "llvm/ADT/STLExtras.h"

namespace plumbline::runtime::cuda {

RankStreams::RankStreams(const Plan &plan, std::int32_t rank)
    : plan_(plan), rank_(rank), firstStep_(plan.rankSteps[static_cast<std::size_t>(rank)]),
      endStep_(plan.rankSteps[static_cast<std::size_t>(rank) + 1]),
      firstInstruction_(plan.program->ranks[static_cast<std::size_t>(rank)].instructions.first) {}

Result<std::unique_ptr<RankStreams>> RankStreams::make(const Plan &plan, std::int32_t rank) {
  std::unique_ptr<RankStreams> streams(new RankStreams(plan, rank));
  Calls calls;
  const auto r = static_cast<std::size_t>(rank);
  for (std::uint32_t lane = plan.rankLanes[r]; lane < plan.rankLanes[r + 1]; ++lane)
    streams->streams_.push_back(makeStream(calls));
  streams->formParts();
  streams->formWaits(calls);
  if (!calls.wrong().empty())
    return Diagnostic{"rank " + std::to_string(rank), 0, 0, calls.wrong()};
  return streams;
}

llvm::MutableArrayRef<RankStreams::Part> RankStreams::partsOf(StepIndex step) {
  const std::uint32_t first = firstPart_[step - firstStep_];
  return llvm::MutableArrayRef<Part>(parts_).slice(first, firstPart_[step - firstStep_ + 1] - first);
}

llvm::ArrayRef<RankStreams::Part> RankStreams::partsOf(StepIndex step) const {
  const std::uint32_t first = firstPart_[step - firstStep_];
  return llvm::ArrayRef<Part>(parts_).slice(first, firstPart_[step - firstStep_ + 1] - first);
}

void RankStreams::formParts() {
  const std::uint32_t firstLane = plan_.rankLanes[static_cast<std::size_t>(rank_)];
  std::vector<llvm::SmallVector<std::uint32_t, 2>> streamsOf(endStep_ - firstStep_);
  for (std::uint32_t k = 0; k < streams_.size(); ++k)
    for (const StepIndex step : plan_.lanes[firstLane + k].steps)
      streamsOf[step - firstStep_].push_back(k);
  partOf_.resize(plan_.program->ranks[static_cast<std::size_t>(rank_)].instructions.count);
  for (StepIndex s = firstStep_; s < endStep_; ++s) {
    firstPart_.push_back(static_cast<std::uint32_t>(parts_.size()));
    for (const std::uint32_t stream : streamsOf[s - firstStep_]) {
      const Lane &lane = plan_.lanes[firstLane + stream];
      for (InstructionIndex i = plan_.steps[s].first; i < plan_.steps[s].first + plan_.steps[s].members; ++i)
        if (streamsOf[s - firstStep_].size() == 1 ||
            lane.communicator ==
                (needsOthers(plan_.instruction(i)) ? plan_.instruction(i).communicator : CommunicatorId()))
          partOf_[i - firstInstruction_] = static_cast<std::uint32_t>(parts_.size());
      parts_.push_back({stream, nullptr, {}});
    }
  }
  firstPart_.push_back(static_cast<std::uint32_t>(parts_.size()));
}

void RankStreams::formWaits(Calls &calls) {
  const auto ended = [&](Part &part) {
    if (!part.ended)
      part.ended = makeEvent(calls);
    return part.ended.get();
  };
  for (StepIndex before = firstStep_; before < endStep_; ++before) {
    for (const StepIndex after : plan_.followersOfStep(before))
      for (Part &waiting : partsOf(after))
        for (Part &awaited : partsOf(before))
          if (awaited.stream != waiting.stream)
            waiting.waits.push_back(ended(awaited));
    // Whoever looks for the launch that a failed run has stopped in.
    if (plan_.steps[before].communicates)
      for (Part &launch : partsOf(before))
        ended(launch);
  }
}

std::string RankStreams::begin(StepIndex step) {
  Calls calls;
  for (const Part &part : partsOf(step))
    for (cudaEvent_t event : part.waits)
      calls(cudaStreamWaitEvent(streams_[part.stream].get(), event, 0), "cudaStreamWaitEvent");
  return calls.wrong();
}

std::string RankStreams::record(const Part &part) const {
  return part.ended ? check(cudaEventRecord(part.ended.get(), streams_[part.stream].get()), "cudaEventRecord") : "";
}

std::string RankStreams::end(StepIndex step) {
  Calls calls;
  for (const Part &part : partsOf(step))
    calls.keep(record(part));
  return calls.wrong();
}

std::string RankStreams::endMember(InstructionIndex member) { return record(parts_[partOf(member)]); }

bool RankStreams::done(StepIndex launch, std::string &wrong) const {
  for (const Part &part : partsOf(launch)) {
    const cudaError_t result = cudaEventQuery(part.ended.get());
    if (result == cudaErrorNotReady)
      return false;
    if (std::string failure = check(result, "cudaEventQuery"); !failure.empty()) {
      wrong = std::move(failure);
      return false;
    }
  }
  return true;
}

bool RankStreams::idle(std::string &wrong) const {
  for (const Stream &stream : streams_) {
    const cudaError_t result = cudaStreamQuery(stream.get());
    if (result == cudaErrorNotReady)
      return false;
    if (std::string failure = check(result, "cudaStreamQuery"); !failure.empty()) {
      wrong = std::move(failure);
      return false;
    }
  }
  return true;
}

} // namespace plumbline::runtime::cuda
