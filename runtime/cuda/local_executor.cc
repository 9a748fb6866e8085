#include "runtime/cuda/local_executor.h"

#include "runtime/cuda/gradient_sums.h"
#include "runtime/host/stuck.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <thread>

namespace plumbline::runtime::cuda {

Result<std::unique_ptr<LocalPipeline>> LocalPipeline::make(const Plan &plan, const RunPlan &run,
                                                           llvm::ArrayRef<CudaRank *> ranks) {
  std::unique_ptr<LocalPipeline> pipeline(new LocalPipeline(plan, run, ranks));
  ranks.front()->device().use();
  Calls calls;
  for (InstructionIndex i = 0; i < pipeline->ends_.size(); ++i) {
    if (!needsOthers(plan.instruction(i)))
      continue;
    pipeline->ends_[i].reached = makeEvent(calls);
    pipeline->ends_[i].arrived = makeEvent(calls);
  }
  if (!calls.wrong().empty())
    return Diagnostic{"cuda", 0, 0, calls.wrong()};
  pipeline->machine_ = std::make_unique<Machine>(plan, *pipeline);
  pipeline->threads_ = std::make_unique<RankThreads>(plan, *pipeline->machine_, *pipeline, std::chrono::nanoseconds(0));
  return pipeline;
}

void LocalPipeline::failAt(InstructionIndex i, std::string wrong) {
  if (!wrong.empty())
    threads_->fail(i, std::move(wrong));
}

void LocalPipeline::onEachRank(const std::function<std::string(CudaRank &)> &f) {
  threads_->onEachRank([&](std::int32_t rank) {
    std::string wrong = f(*ranks_[static_cast<std::size_t>(rank)]);
    const std::scoped_lock lock(failureMutex_);
    if (!wrong.empty() && failure_.message.empty())
      failure_.message = std::move(wrong);
  });
}

StepResult LocalPipeline::run(const DataSource &data, const StepRequest &request, Timing::Clock::time_point origin) {
  learningRate_ = request.learningRate;
  failure_ = Failure();
  StepResult result;
  // Also makes the device current on every thread that may enqueue something.
  onEachRank([&](CudaRank &rank) { return rank.startStep(data, request.step, origin); });
  if (failure_.message.empty()) {
    result.end = threads_->run();
    result.failure = threads_->failure();
    if (result.end == End::stuck)
      result.stuck = describeStuck(plan_, *machine_);
  }
  // Whatever has been enqueued ends: who waits on the device waits for what is enqueued too.
  onEachRank([](CudaRank &rank) { return rank.waitIdle(); });
  if (!failure_.message.empty() && result.end != End::failed) {
    result.end = End::failed;
    result.failure = failure_;
  }
  return result;
}

std::string LocalPipeline::work(InstructionIndex i) {
  Calls calls;
  if (calls.keep(rankOf(i).timeBegin(i)) && calls.keep(rankOf(i).enqueueWork(i, learningRate_)))
    calls.keep(rankOf(i).timeEnd(i));
  return calls.wrong();
}

void LocalPipeline::began(InstructionIndex i) {
  Calls calls;
  if (i == plan_.steps[plan_.stepOf[i]].first)
    calls.keep(rankOf(i).streams().begin(plan_.stepOf[i]));
  if (needsOthers(plan_.instruction(i))) {
    calls.keep(rankOf(i).timeBegin(i));
    calls(cudaEventRecord(ends_[i].reached.get(), streamOf(i)), "cudaEventRecord");
  }
  failAt(i, calls.wrong());
}

void LocalPipeline::completed(InstructionIndex i) {
  Calls calls;
  if (needsOthers(plan_.instruction(i)))
    calls.keep(rankOf(i).timeEnd(i));
  calls.keep(rankOf(i).streams().endMember(i));
  failAt(i, calls.wrong());
}

// On the stream of the receive, once the stream of the send has come to it; that one goes on when the copy is made. Of
// unlike sizes as much as fits, as on the host.
std::string LocalPipeline::copy(InstructionIndex send, InstructionIndex receive) {
  const BoundMessage *out = run_.binding.message(send), *in = run_.binding.message(receive);
  cudaStream_t stream = streamOf(receive);
  Calls calls;
  calls(cudaStreamWaitEvent(stream, ends_[send].reached.get(), 0), "cudaStreamWaitEvent");
  if (const std::uint64_t bytes = std::min(out->bytes, in->bytes); bytes > 0 && out->place.valid() && in->place.valid())
    calls(cudaMemcpyAsync(rankOf(receive).work().at(in->place), rankOf(send).work().at(out->place), bytes,
                          cudaMemcpyDeviceToDevice, stream),
          "cudaMemcpyAsync");
  calls(cudaEventRecord(ends_[receive].arrived.get(), stream), "cudaEventRecord");
  calls(cudaStreamWaitEvent(streamOf(send), ends_[receive].arrived.get(), 0), "cudaStreamWaitEvent");
  return calls.wrong();
}

void LocalPipeline::transfer(InstructionIndex send, InstructionIndex receive) { failAt(receive, copy(send, receive)); }

void LocalPipeline::carryOut(const Collective &collective) {
  const Opcode opcode = plan_.instruction(collective.members.front()).opcode;
  if (opcode == Opcode::broadcast)
    failAt(collective.members.front(), broadcast(collective));
  else if (opcode == Opcode::reduce_gradients)
    failAt(collective.members.front(), sumGradients(collective));
}

std::string LocalPipeline::broadcast(const Collective &collective) {
  const auto root = llvm::find_if(
      collective.members, [&](InstructionIndex i) { return plan_.instruction(i).peer == plan_.instruction(i).rank; });
  Calls calls;
  if (root != collective.members.end())
    for (const InstructionIndex member : collective.members)
      if (member != *root)
        calls.keep(copy(*root, member));
  return calls.wrong();
}

DeviceMemory *LocalPipeline::gradientsOf(InstructionIndex i) const {
  const auto found = rankOf(i).work().stages().find(plan_.instruction(i).stage);
  return found == rankOf(i).work().stages().end() ? nullptr : &found->second.gradients;
}

// On the stream of the first member, for which all others wait.
std::string LocalPipeline::sumGradients(const Collective &collective) {
  llvm::SmallVector<DeviceMemory *, 8> shares;
  const InstructionIndex first = collective.members.front();
  cudaStream_t stream = streamOf(first);
  Calls calls;
  for (const InstructionIndex member : collective.members) {
    calls(cudaStreamWaitEvent(stream, ends_[member].reached.get(), 0), "cudaStreamWaitEvent");
    if (DeviceMemory *own = gradientsOf(member))
      shares.push_back(own);
  }
  if (!shares.empty()) {
    calls.keep(addUp(shares, stream));
    calls.keep(spread(shares, stream));
  }
  calls(cudaEventRecord(ends_[first].arrived.get(), stream), "cudaEventRecord");
  for (const InstructionIndex member : collective.members)
    calls(cudaStreamWaitEvent(streamOf(member), ends_[first].arrived.get(), 0), "cudaStreamWaitEvent");
  return calls.wrong();
}

Result<std::unique_ptr<Executor>> LocalExecutor::make(const Plan &plan, const RunPlan &run, const DataSource &data,
                                                      llvm::ArrayRef<CudaRank *> ranks) {
  std::unique_ptr<LocalExecutor> executor(new LocalExecutor(plan, run, data));
  const auto each = static_cast<std::size_t>(plan.program->rankCount());
  for (std::int32_t copy = 0; copy < run.copies; ++copy) {
    Result<std::unique_ptr<LocalPipeline>> made =
        LocalPipeline::make(plan, run, ranks.slice(static_cast<std::size_t>(copy) * each, each));
    if (!made)
      return made.error();
    executor->copies_.push_back(std::move(*made));
  }
  return std::unique_ptr<Executor>(std::move(executor));
}

// All copies at once. The gravest end counts.
StepResult LocalExecutor::run(const StepRequest &request) {
  const Timing::Clock::time_point origin = Timing::Clock::now();
  std::vector<StepResult> results(copies_.size());
  std::vector<std::thread> threads;
  threads.reserve(copies_.size());
  for (std::size_t k = 0; k < copies_.size(); ++k)
    threads.emplace_back([&, k] { results[k] = copies_[k]->run(data_, request, origin); });
  for (std::thread &thread : threads)
    thread.join();
  const auto gravity = [](End end) {
    return end == End::finished ? 0 : end == End::stopped ? 1 : end == End::stuck ? 2 : 3;
  };
  return *std::max_element(results.begin(), results.end(),
                           [&](const StepResult &a, const StepResult &b) { return gravity(a.end) < gravity(b.end); });
}

StepResult LocalExecutor::finish(const StepRequest &request, double &losses) {
  Calls calls;
  losses = 0;
  for (const auto &copy : copies_)
    for (CudaRank *rank : copy->ranks())
      calls.keep(rank->sumLosses(losses));
  if (plan_.program->mode == Mode::training)
    calls.keep(sumGradients());
  for (const auto &copy : copies_)
    for (CudaRank *rank : copy->ranks())
      calls.keep(rank->finish(request.learningRate, request.update));
  StepResult result;
  result.end = calls.wrong().empty() ? End::finished : End::failed;
  result.failure.message = calls.wrong();
  return result;
}

// The device is idle, and one stream is as good as another.
std::string LocalExecutor::sumGradients() {
  CudaRank &any = *copies_.front()->ranks().front();
  any.device().use();
  Calls calls;
  for (const std::vector<Share> &position : sharesOfGradients(*plan_.program, run_.copies)) {
    std::vector<DeviceMemory *> shares;
    for (const Share &share : position) {
      const LocalPipeline &copy = *copies_[static_cast<std::size_t>(share.holder / plan_.program->rankCount())];
      CudaRank &holder = *copy.ranks()[static_cast<std::size_t>(share.holder % plan_.program->rankCount())];
      shares.push_back(&holder.work().stages().at(share.stage).gradients);
    }
    if (shares.empty())
      continue;
    calls.keep(addUp(shares, any.streams().compute()));
    calls.keep(spread(shares, any.streams().compute()));
  }
  calls.keep(any.waitIdle());
  return calls.wrong();
}

void LocalExecutor::stop() {
  for (const auto &copy : copies_)
    copy->stop();
}

} // namespace plumbline::runtime::cuda
