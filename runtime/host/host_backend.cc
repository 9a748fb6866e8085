#include "runtime/host/host_backend.h"

#include "runtime/backend/parts.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cstring>
#include <thread>

namespace plumbline::runtime {
namespace {

class HostBackend : public Backend {
public:
  HostBackend(Plan plan, const RunPlan &run, const DataSource &data) : plan_(std::move(plan)), run_(run), data_(data) {}

  // Empty, or what is wrong.
  Result<bool> open(const HostSettings &settings) {
    for (std::int32_t copy = 0; copy < run_.copies; ++copy) {
      Result<std::unique_ptr<HostPipeline>> made = HostPipeline::make(plan_, run_, settings, copy);
      if (!made)
        return made.error();
      copies_.push_back(std::move(*made));
    }
    return true;
  }

  StepResult step(const StepRequest &request) override {
    StepResult result = runCopies(request);
    if (result.end != End::finished)
      return result;
    double sum = 0;
    const Program &program = *plan_.program;
    for (const auto &copy : copies_)
      for (std::int32_t replica = 0; replica < program.replicas; ++replica)
        sum += copy->lossSum(replica);
    result.loss = static_cast<float>(sum / (std::int64_t(program.microbatches) * program.replicas * run_.copies));
    addGradients();
    for (const auto &copy : copies_)
      if (std::string wrong = copy->finish(request); !wrong.empty()) {
        result.end = End::failed;
        result.failure.message = wrong;
      }
    return result;
  }

  void stop() override {
    for (const auto &copy : copies_)
      copy->stop();
  }

  std::vector<StageId> stages() override {
    std::vector<StageId> all;
    for (std::int32_t s = 0; s < plan_.program->stageCount(); ++s)
      if (copies_.front()->find(StageId(s)))
        all.emplace_back(s);
    return all;
  }

  std::vector<char> read(StageId stage, Part part) override {
    return readPart(holder(*copies_.front(), stage), stage, part);
  }

  void write(StageId stage, Part part, llvm::ArrayRef<char> bytes) override {
    for (const auto &copy : copies_)
      writePart(holder(*copy, stage), stage, part, bytes);
  }

  std::int64_t updates(StageId stage) override { return copies_.front()->find(stage)->updates; }
  void setUpdates(StageId stage, std::int64_t updates) override {
    for (const auto &copy : copies_)
      copy->find(stage)->updates = updates;
  }
  llvm::ArrayRef<Span> spans() override { return copies_.front()->watch().spans(); }
  std::int32_t peakSlots(PoolId pool) override { return copies_.front()->watch().ledger().peak(pool); }
  std::uint64_t reservedBytes(RankId rank) override {
    return copies_.front()->rank(static_cast<std::size_t>(rank.value())).reservedBytes();
  }

private:
  RankWork &holder(HostPipeline &copy, StageId stage) const {
    const RankId rank = plan_.program->stages[static_cast<std::size_t>(stage.value())].rank;
    return copy.rank(static_cast<std::size_t>(rank.value()));
  }

  // All copies at once; the first that does not finish stops the others.
  StepResult runCopies(const StepRequest &request) {
    std::vector<StepResult> results(copies_.size());
    std::vector<std::thread> others;
    const auto runOne = [&](std::size_t k) { results[k] = copies_[k]->run(data_, request); };
    for (std::size_t k = 1; k < copies_.size(); ++k)
      others.emplace_back(runOne, k);
    runOne(0);
    for (std::thread &thread : others)
      thread.join();
    return *std::max_element(results.begin(), results.end(),
                             [](const StepResult &a, const StepResult &b) { return gravity(a.end) < gravity(b.end); });
  }

  static int gravity(End end) { return end == End::finished ? 0 : end == End::stopped ? 1 : end == End::stuck ? 2 : 3; }

  // Replicas of a pipeline and copies of the whole have the same weights, and the batch is spread over them: their
  // gradients are added up, replica by replica and then copy by copy, and all get the sum.
  void addGradients() {
    const Program &program = *plan_.program;
    if (program.mode != Mode::training || program.replicas * run_.copies == 1)
      return;
    for (std::int32_t position = 0; position < program.stagesPerReplica; ++position) {
      std::vector<DeviceMemory *> shares;
      for (const auto &copy : copies_)
        for (std::int32_t replica = 0; replica < program.replicas; ++replica)
          if (StageState *state = copy->find(StageId(replica * program.stagesPerReplica + position)))
            shares.push_back(&state->gradients);
      addUp(shares);
    }
  }

  static void addUp(llvm::ArrayRef<DeviceMemory *> shares) {
    auto *sum = static_cast<float *>(shares.front()->data());
    const std::size_t count = shares.front()->bytes() / sizeof(float);
    for (const DeviceMemory *share : llvm::drop_begin(shares))
      for (std::size_t k = 0; k < count; ++k)
        sum[k] += static_cast<const float *>(share->data())[k];
    for (const DeviceMemory *share : llvm::drop_begin(shares))
      if (count > 0)
        std::memcpy(share->data(), sum, count * sizeof(float));
  }

  const Plan plan_;
  const RunPlan &run_;
  const DataSource &data_;
  std::vector<std::unique_ptr<HostPipeline>> copies_;
};

} // namespace

Result<std::unique_ptr<Backend>> makeHostBackend(const Program &program, const model::Options &options,
                                                 const RunPlan &run, const DataSource &data,
                                                 const HostSettings &settings) {
  std::string wrong;
  Plan plan = makePlan(program, options, wrong);
  if (wrong.empty())
    wrong = whyNotShared(run);
  if (!wrong.empty())
    return Diagnostic{program.name, 0, 0, wrong};
  auto backend = std::make_unique<HostBackend>(std::move(plan), run, data);
  if (Result<bool> opened = backend->open(settings); !opened)
    return opened.error();
  return std::unique_ptr<Backend>(std::move(backend));
}

} // namespace plumbline::runtime
