#include "runtime/mpi/rank_process.h"

namespace plumbline::runtime::mpi {
namespace {

std::vector<RankWork *> onlyOne(const Plan &plan, RankWork &work) {
  std::vector<RankWork *> ranks(plan.program->ranks.size(), nullptr);
  ranks[static_cast<std::size_t>(work.rank().value())] = &work;
  return ranks;
}

// Longer and longer breaks while nothing comes, so that processes that share a core let each other work.
class Patience {
public:
  void reset() { rounds_ = 0; }
  void wait() {
    ++rounds_;
    if (rounds_ < 64)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(20));
  }

private:
  int rounds_ = 0;
};

} // namespace

RankProcess::RankProcess(const Plan &plan, const RunPlan &run, RankWork &work, const Communicators &communicators,
                         bool check)
    : RankDriver(plan, machine_), work_(work), check_(check), watch_(plan, run, onlyOne(plan, work)),
      messenger_(plan, run, work, communicators), machine_(plan, *this, &messenger_), thread_([this] { live(); }) {}

RankProcess::~RankProcess() {
  {
    const std::scoped_lock lock(mutex_);
    leaving_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

StepResult RankProcess::run(float learningRate) {
  learningRate_ = learningRate;
  failure_ = Failure();
  stopped_ = false;
  machine_.reset();
  Watch::Trip trip;
  if (check_)
    trip = [this](InstructionIndex i, std::string message) { fail(i, std::move(message)); };
  watch_.reset(check_ || !std::exchange(watched_, true), std::move(trip));
  {
    const std::scoped_lock lock(mutex_);
    ready_ = none;
    over_ = false;
  }
  Agenda agenda;
  machine_.start(work_.rank().value(), agenda);
  settle(agenda);
  communicate();
  std::unique_lock lock(mutex_);
  over_ = true;
  wake_.wait(lock, [this] { return !working_; });
  StepResult result;
  result.failure = failure_;
  result.end = !failure_.message.empty() ? End::failed : stopped_ ? End::stopped : End::finished;
  return result;
}

// The thread that calls MPI: starts and ends messages until everything of the rank has ended.
void RankProcess::communicate() {
  std::vector<InstructionIndex> done;
  Agenda agenda;
  Patience patience;
  while (!over_ && !machine_.finished(work_.rank().value())) {
    done.clear();
    InstructionIndex failed = none;
    if (std::string wrong = messenger_.progress(done, failed); !wrong.empty()) {
      fail(failed, std::move(wrong));
      return;
    }
    for (const InstructionIndex instruction : done)
      agenda.push_back({Event::Kind::complete, instruction});
    settle(agenda);
    if (done.empty())
      patience.wait();
    else
      patience.reset();
  }
}

void RankProcess::live() {
  for (;;) {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return leaving_ || (ready_ != none && !over_); });
    if (leaving_)
      return;
    const StepIndex step = std::exchange(ready_, none);
    working_ = true;
    lock.unlock();
    runStep(step);
    lock.lock();
    working_ = false;
    wake_.notify_all();
  }
}

std::string RankProcess::perform(InstructionIndex instruction) {
  watch_.workBegins(instruction);
  std::string wrong = work_.work(instruction, learningRate_);
  watch_.workEnds(instruction);
  return wrong;
}

void RankProcess::offer(StepIndex step) {
  {
    const std::scoped_lock lock(mutex_);
    ready_ = step;
  }
  wake_.notify_all();
}

void RankProcess::stop() {
  stopped_ = true;
  over_ = true;
}

void RankProcess::fail(InstructionIndex instruction, std::string message) {
  const std::scoped_lock lock(mutex_);
  if (failure_.message.empty())
    failure_ = {instruction, std::move(message)};
  over_ = true;
}

} // namespace plumbline::runtime::mpi
