#include "verifier/cli/judge_many.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace plumbline::cli {
namespace {

// A ring of reports: workers take the next input and put its report at its place, the owner takes them out in order.
class Queue {
public:
  Queue(llvm::ArrayRef<Input> inputs, const Settings &settings, std::size_t workers, unsigned threadsEach)
      : inputs_(inputs), settings_(settings), ring_(4 * workers) {
    settings_.jobs = threadsEach;
    for (std::size_t k = 0; k < workers; ++k)
      workers_.emplace_back([this] { work(); });
  }

  ~Queue() {
    for (std::thread &worker : workers_)
      worker.join();
  }

  Queue(const Queue &) = delete;
  Queue &operator=(const Queue &) = delete;

  report::Report takeNext() {
    std::unique_lock lock(mutex_);
    std::optional<report::Report> &place = ring_[taken_ % ring_.size()];
    done_.wait(lock, [&] { return place.has_value(); });
    report::Report report = std::move(*place);
    place.reset();
    ++taken_;
    free_.notify_all();
    return report;
  }

private:
  void work() {
    smt::Session session(settings_.jobs);
    for (;;) {
      std::size_t mine = 0;
      {
        std::unique_lock lock(mutex_);
        mine = next_++;
        if (mine >= inputs_.size())
          return;
        free_.wait(lock, [&] { return mine < taken_ + ring_.size(); });
      }
      report::Report report = judgeInput(inputs_[mine], settings_, session);
      const std::lock_guard lock(mutex_);
      ring_[mine % ring_.size()] = std::move(report);
      done_.notify_all();
    }
  }

  llvm::ArrayRef<Input> inputs_;
  Settings settings_;
  std::mutex mutex_;
  std::condition_variable done_, free_;
  std::vector<std::optional<report::Report>> ring_;
  std::size_t next_ = 0, taken_ = 0;
  std::vector<std::thread> workers_; // last: they use all of the above
};

} // namespace

report::Report judgeInput(const Input &input, const Settings &settings, smt::Session &session) {
  if (!input.wrong.empty()) {
    report::Report report;
    report.file = input.file;
    report.format = frontend::name(settings.from).str();
    report.invalid = Diagnostic{input.file, 0, 0, input.wrong};
    return report;
  }
  if (input.batches.empty() || !settings.batches.empty())
    return judge(input.file, settings, session);
  Settings own = settings;
  own.batches = input.batches;
  return judge(input.file, own, session);
}

void judgeMany(llvm::ArrayRef<Input> inputs, const Settings &settings, llvm::function_ref<void(report::Report)> take) {
  const std::size_t workers = std::min<std::size_t>(std::max(1U, settings.jobs), inputs.size());
  if (workers <= 1) {
    smt::Session session(settings.jobs);
    for (const Input &input : inputs)
      take(judgeInput(input, settings, session));
    return;
  }
  Queue queue(inputs, settings, workers, std::max(1U, settings.jobs / static_cast<unsigned>(workers)));
  for (std::size_t k = 0; k < inputs.size(); ++k)
    take(queue.takeNext());
}

} // namespace plumbline::cli
