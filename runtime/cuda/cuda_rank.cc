#include "runtime/cuda/cuda_rank.h"

#include "runtime/cuda/kernels.h"
#include "verifier/ir/words.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <thread>

namespace plumbline::runtime::cuda {

Result<std::unique_ptr<CudaRank>> CudaRank::make(const Plan &plan, const RunPlan &run, Seat seat, bool timed) {
  std::unique_ptr<CudaRank> rank(new CudaRank(plan, run, seat));
  rank->device_.use();
  Result<std::unique_ptr<RankStreams>> streams = RankStreams::make(plan, seat.rank);
  if (!streams)
    return streams.error();
  rank->streams_ = std::move(*streams);
  Result<std::unique_ptr<RankWork>> work =
      RankWork::make(run, RankId(seat.rank), rank->device_, rank->streams_->compute());
  if (!work)
    return work.error();
  rank->work_ = std::move(*work);
  Calls calls;
  if (timed)
    rank->timing_ = Timing::make(plan, seat.rank, calls);
  calls.keep(rank->makeStaging());
  calls.keep(rank->waitIdle());
  if (!calls.wrong().empty())
    return Diagnostic{"rank " + std::to_string(seat.rank), 0, 0, calls.wrong()};
  return rank;
}

// Streams end with what is on them, and that uses the memory.
CudaRank::~CudaRank() {
  device_.use();
  timing_.reset();
  streams_.reset();
}

std::string CudaRank::warmUp() {
  device_.use();
  Calls calls;
  calls(loadKernels(), "loading a kernel");
  const IndexRange own = plan_.program->ranks[static_cast<std::size_t>(seat_.rank)].instructions;
  std::set<std::pair<std::int32_t, Opcode>> done;
  for (InstructionIndex i = own.first; i < own.first + own.count && calls.wrong().empty(); ++i) {
    const Instruction &instruction = plan_.instruction(i);
    if (run_.binding.pass(i) && done.emplace(instruction.stage.value(), instruction.opcode).second)
      if (std::string wrong = enqueueWork(i, 0); !wrong.empty())
        calls.keep(fullNameOf(*plan_.program, InstructionId(static_cast<std::int32_t>(i))) +
                   " failed in the trial before the first step: " + wrong);
  }
  for (auto &[stage, state] : work_->stages())
    if (state.gradients.data())
      device_.fill(state.gradients.data(), 0, state.gradients.bytes(), streams_->compute());
  calls.keep(waitIdle());
  return calls.wrong();
}

std::string CudaRank::makeStaging() {
  std::uint64_t inputs = 0, labels = 0;
  for (const auto &[stage, state] : work_->stages()) {
    const BatchMemory &batch = run_.binding.batches[static_cast<std::size_t>(stage.value())];
    inputs = std::max(inputs, batch.inputs.valid() ? batch.inputBytes : 0);
    labels = std::max(labels, batch.labels.valid() ? batch.labelBytes : 0);
  }
  const auto microbatches = static_cast<std::uint64_t>(plan_.program->microbatches);
  Calls calls;
  inputs_ = makePinned(calls, inputs * microbatches);
  labels_ = makePinned(calls, labels * microbatches);
  if (inputs_) // what lies between two samples is copied too
    std::memset(inputs_.get(), 0, inputs * microbatches);
  if (labels_)
    std::memset(labels_.get(), 0, labels * microbatches);
  return calls.wrong();
}

std::string CudaRank::startStep(const DataSource &data, std::int64_t step, Timing::Clock::time_point origin) {
  device_.use();
  for (auto &[stage, state] : work_->stages())
    if (std::string wrong = fillBatch(data, step, stage, state); !wrong.empty())
      return wrong;
  return timing_ ? timing_->start(streams_->compute(), origin) : "";
}

std::string CudaRank::fillBatch(const DataSource &data, std::int64_t step, StageId stage, StageState &state) {
  const Program &program = *plan_.program;
  const BatchMemory &batch = run_.binding.batches[static_cast<std::size_t>(stage.value())];
  const plumbline_stage_sizes &sizes = state.object->sizes();
  const bool hasInputs = batch.inputs.valid() && sizes.input.count > 0;
  const bool hasLabels = batch.labels.valid() && sizes.labels.count > 0;
  if (!hasInputs && !hasLabels)
    return "";
  const auto microbatches = static_cast<std::uint64_t>(program.microbatches);
  const std::int64_t replica = std::int64_t(seat_.copy) * program.replicas + stage.value() / program.stagesPerReplica;
  for (std::uint64_t m = 0; m < microbatches; ++m)
    data.fill(step, replica * program.microbatches + static_cast<std::int64_t>(m),
              hasInputs ? SampleField{inputs_.get() + m * batch.inputBytes, sizes.input} : SampleField(),
              hasLabels ? SampleField{labels_.get() + m * batch.labelBytes, sizes.labels} : SampleField());
  if (hasInputs)
    device_.write(work_->at(batch.inputs), inputs_.get(), microbatches * batch.inputBytes, streams_->compute());
  if (hasLabels)
    device_.write(work_->at(batch.labels), labels_.get(), microbatches * batch.labelBytes, streams_->compute());
  return deviceFailure();
}

std::string CudaRank::enqueueWork(InstructionIndex i, float learningRate) {
  std::string wrong = work_->work(i, learningRate);
  return wrong.empty() ? deviceFailure() : wrong;
}

std::string CudaRank::sumLosses(double &sum) {
  device_.use();
  const Program &program = *plan_.program;
  for (std::int32_t replica = 0; replica < program.replicas; ++replica) {
    const std::int32_t last = (replica + 1) * program.stagesPerReplica - 1;
    if (program.stages[static_cast<std::size_t>(last)].rank != RankId(seat_.rank))
      continue;
    std::vector<float> losses(static_cast<std::size_t>(program.microbatches));
    const RankMemory &memory = run_.binding.ranks[static_cast<std::size_t>(seat_.rank)];
    const auto *first =
        static_cast<const float *>(work_->at(memory.losses)) + std::int64_t(replica) * program.microbatches;
    device_.read(losses.data(), first, losses.size() * sizeof(float), streams_->compute());
    for (const float loss : losses)
      sum += static_cast<double>(loss);
  }
  return deviceFailure();
}

std::string CudaRank::finish(float learningRate, bool update) {
  device_.use();
  Calls calls;
  if (calls.keep(work_->finish(learningRate, update)) && calls.keep(deviceFailure()))
    calls.keep(waitIdle());
  return calls.wrong();
}

std::string CudaRank::waitIdle() {
  std::string wrong;
  while (!streams_->idle(wrong) && wrong.empty())
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  return wrong.empty() ? deviceFailure() : wrong;
}

} // namespace plumbline::runtime::cuda
