#include "runtime/cuda/nccl_executor.h"

#include <numeric>
#include <thread>

namespace plumbline::runtime::cuda {
namespace {

constexpr std::chrono::microseconds betweenLooks{500};
// ncclCommAbort has been known to hang itself.
constexpr std::chrono::seconds abortPatience{20};

std::string withReason(const std::string &wrong) {
  return wrong.empty() ? "" : "communicators could not be made: " + wrong;
}

} // namespace

NcclExecutor::NcclExecutor(const Plan &plan, const RunPlan &run, NcclPlan nccl, const DataSource &data,
                           const NcclSettings &settings)
    : nccl_(std::move(nccl)), data_(data),
      lost_(settings.lost), shared_{plan, run, nccl_.cliques, nccl_.shares, settings.patience, settings.reduceScatter} {
}

Result<std::unique_ptr<Executor>> NcclExecutor::make(const Plan &plan, const RunPlan &run, NcclPlan nccl,
                                                     const DataSource &data, llvm::ArrayRef<CudaRank *> ranks,
                                                     llvm::ArrayRef<ncclUniqueId> ids, const NcclSettings &settings,
                                                     bool &abandoned) {
  std::unique_ptr<NcclExecutor> executor(new NcclExecutor(plan, run, std::move(nccl), data, settings));
  for (CudaRank *rank : ranks)
    executor->ranks_.push_back(std::make_unique<NcclRank>(executor->shared_, *rank));
  const auto open = [&](NcclRank &rank) {
    Calls calls;
    if (calls.keep(rank.rank().warmUp()))
      calls.keep(withReason(rank.open(ids)));
    return Failure{none, calls.wrong()};
  };
  StepResult opened = executor->onEachRank(open);
  if (opened.end == End::finished)
    opened = executor->onEachRank([](NcclRank &rank) { return Failure{none, withReason(rank.connect())}; });
  if (opened.end != End::finished) {
    abandoned = executor->abandoned_;
    if (abandoned)
      (void)executor.release(); // rather than free what is in use
    return Diagnostic{"cuda", 0, 0, opened.failure.message};
  }
  return std::unique_ptr<Executor>(std::move(executor));
}

NcclExecutor::~NcclExecutor() {
  if (!aborted_)
    tell(onEachRank([](NcclRank &rank) { return Failure{none, rank.close()}; }).failure.message);
}

void NcclExecutor::report(Failure failure) {
  const std::scoped_lock lock(failureMutex_);
  // What comes after the run is given up is a consequence.
  if (!failure.message.empty() && !shared_.over.exchange(true))
    failure_ = std::move(failure);
}

StepResult NcclExecutor::onEachRank(const std::function<Failure(NcclRank &)> &f) {
  std::atomic<std::size_t> working{ranks_.size()};
  std::vector<std::thread> threads;
  threads.reserve(ranks_.size());
  for (const auto &rank : ranks_) {
    rank->startWatch();
    threads.emplace_back([&, each = rank.get()] {
      each->rank().device().use();
      report(f(*each));
      --working;
    });
  }
  while (working > 0) {
    std::this_thread::sleep_for(betweenLooks);
    if (stopped_)
      shared_.over = true;
    lookAfterAll();
    if (shared_.over && !aborted_)
      abortAll();
  }
  for (std::thread &thread : threads)
    thread.join();
  if (shared_.over && !aborted_)
    abortAll();
  StepResult result;
  const std::scoped_lock lock(failureMutex_);
  result.failure = failure_;
  result.end = !failure_.message.empty() ? End::failed : shared_.over ? End::stopped : End::finished;
  return result;
}

void NcclExecutor::lookAfterAll() {
  if (std::string gone = lost_ && !shared_.over ? lost_() : ""; !gone.empty())
    report({none, std::move(gone)});
  for (const auto &rank : ranks_)
    if (!shared_.over)
      lookAfter(*rank);
}

void NcclExecutor::lookAfter(NcclRank &rank) {
  std::string wrong = rank.asyncError();
  if (wrong.empty() && rank.stalled(shared_.patience, wrong) && wrong.empty())
    wrong = "the other ranks have not answered for " + std::to_string(shared_.patience.count()) + " ms";
  if (!wrong.empty())
    report({rank.current(), wrong});
}

// On a thread for each communicator: the ranks of one machine have to do it together, and of one rank a communicator
// may wait for work that waits for another one (nccl issue 1013).
void NcclExecutor::abortAll() {
  aborted_ = true;
  const auto left = std::make_shared<std::atomic<std::size_t>>(0);
  std::vector<std::thread> threads;
  for (const auto &rank : ranks_)
    for (ncclComm_t communicator : rank->takeCommunicators()) {
      ++*left;
      threads.emplace_back([left, communicator, each = rank.get()] {
        each->rank().device().use();
        tell(check(ncclCommAbort(communicator), "ncclCommAbort"));
        --*left;
      });
    }
  const auto deadline = std::chrono::steady_clock::now() + abortPatience;
  while (*left > 0 && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(betweenLooks);
  abandoned_ = *left > 0;
  for (std::thread &thread : threads)
    abandoned_ ? thread.detach() : thread.join();
}

StepResult NcclExecutor::run(const StepRequest &request) {
  const Timing::Clock::time_point origin = Timing::Clock::now();
  return onEachRank([&](NcclRank &rank) {
    std::string wrong = rank.rank().startStep(data_, request.step, origin);
    return wrong.empty() ? rank.walk(request.learningRate) : Failure{none, std::move(wrong)};
  });
}

StepResult NcclExecutor::finish(const StepRequest &request, double &losses) {
  // In order, or the last digits would change from run to run.
  std::vector<double> sums(ranks_.size(), 0);
  StepResult result = onEachRank([&](NcclRank &rank) {
    Calls calls;
    const auto own = static_cast<std::size_t>(rank.world() - ranks_.front()->world());
    if (calls.keep(rank.rank().sumLosses(sums[own])) && calls.keep(rank.sumGradients()))
      calls.keep(rank.rank().finish(request.learningRate, request.update));
    return Failure{none, calls.wrong()};
  });
  losses = std::accumulate(sums.begin(), sums.end(), 0.0);
  return result;
}

} // namespace plumbline::runtime::cuda
