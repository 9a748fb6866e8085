#include "runtime/host/pipeline.h"

#include "runtime/backend/batch.h"
#include "runtime/host/stuck.h"

#include "llvm/ADT/STLExtras.h"

namespace plumbline::runtime {

Result<std::unique_ptr<HostPipeline>> HostPipeline::make(const Plan &plan, const RunPlan &run,
                                                         const HostSettings &settings, std::int32_t copy) {
  std::unique_ptr<HostPipeline> pipeline(new HostPipeline(plan, run, settings, copy));
  for (std::int32_t rank = 0; rank < plan.program->rankCount(); ++rank) {
    Result<std::unique_ptr<RankWork>> work = RankWork::make(run, RankId(rank), pipeline->device_, nullptr);
    if (!work)
      return work.error();
    pipeline->ranks_.push_back(std::move(*work));
  }
  pipeline->effects_ = std::make_unique<HostEffects>(plan, run, pipeline->ranks_);
  pipeline->machine_ = std::make_unique<Machine>(plan, *pipeline->effects_);
  pipeline->threads_ = std::make_unique<RankThreads>(plan, *pipeline->machine_, *pipeline, settings.spin);
  return pipeline;
}

StepResult HostPipeline::run(const DataSource &data, const StepRequest &request) {
  learningRate_ = request.learningRate;
  Watch::Trip trip;
  if (settings_.check)
    trip = [this](InstructionIndex i, std::string message) { threads_->fail(i, std::move(message)); };
  threads_->onEachRank(
      [&](std::int32_t rank) { fillBatch(run_, *ranks_[static_cast<std::size_t>(rank)], data, request.step, copy_); });
  watch().reset(settings_.check || !std::exchange(watched_, true), std::move(trip));
  StepResult result;
  result.end = threads_->run();
  result.failure = threads_->failure();
  if (result.end == End::stuck)
    result.stuck = describeStuck(plan_, *machine_);
  return result;
}

std::string HostPipeline::work(InstructionIndex instruction) {
  watch().workBegins(instruction);
  std::string wrong =
      ranks_[static_cast<std::size_t>(plan_.instruction(instruction).rank.value())]->work(instruction, learningRate_);
  watch().workEnds(instruction);
  return wrong;
}

std::string HostPipeline::finish(const StepRequest &request) {
  std::vector<std::string> wrong(ranks_.size());
  threads_->onEachRank([&](std::int32_t rank) {
    const auto r = static_cast<std::size_t>(rank);
    wrong[r] = ranks_[r]->finish(request.learningRate, request.update);
  });
  const auto first = llvm::find_if(wrong, [](const std::string &text) { return !text.empty(); });
  return first == wrong.end() ? "" : *first;
}

StageState *HostPipeline::find(StageId stage) {
  for (const auto &rank : ranks_)
    if (const auto found = rank->stages().find(stage); found != rank->stages().end())
      return &found->second;
  return nullptr;
}

double HostPipeline::lossSum(std::int32_t replica) const {
  const Program &program = *plan_.program;
  const std::int32_t last = (replica + 1) * program.stagesPerReplica - 1;
  const RankId rank = program.stages[static_cast<std::size_t>(last)].rank;
  return rank.valid() ? sumOfLosses(run_, *ranks_[static_cast<std::size_t>(rank.value())], replica) : 0;
}

} // namespace plumbline::runtime
