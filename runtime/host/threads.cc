#include "runtime/host/threads.h"

#include <chrono>

namespace plumbline::runtime {

RankThreads::RankThreads(const Plan &plan, Machine &machine, Worker &worker, std::chrono::nanoseconds spin)
    : RankDriver(plan, machine), plan_(plan), machine_(machine), worker_(worker), spin_(spin) {
  const std::int32_t ranks = plan.program->rankCount();
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    desks_.push_back(std::make_unique<Desk>());
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    threads_.emplace_back([this, rank] { live(rank); });
}

RankThreads::~RankThreads() {
  {
    const std::scoped_lock lock(roundMutex_);
    leaving_ = true;
  }
  roundBegins_.notify_all();
  for (std::thread &thread : threads_)
    thread.join();
}

void RankThreads::live(std::int32_t rank) {
  std::uint64_t seen = 0;
  for (;;) {
    std::unique_lock lock(roundMutex_);
    roundBegins_.wait(lock, [&] { return leaving_ || round_ != seen; });
    if (leaving_)
      return;
    seen = round_;
    lock.unlock();
    task_(rank);
    lock.lock();
    if (--busy_ == 0)
      roundEnds_.notify_all();
  }
}

void RankThreads::onEachRank(const std::function<void(std::int32_t)> &f) {
  std::unique_lock lock(roundMutex_);
  task_ = f;
  busy_ = static_cast<std::int32_t>(threads_.size());
  ++round_;
  roundBegins_.notify_all();
  roundEnds_.wait(lock, [&] { return busy_ == 0; });
}

End RankThreads::run() {
  machine_.reset();
  failure_ = Failure();
  over_ = false;
  stopped_ = false;
  working_ = static_cast<std::int32_t>(threads_.size());
  for (const auto &desk : desks_) {
    desk->ready = none;
    desk->asleep = false;
  }
  onEachRank([this](std::int32_t rank) { execute(rank); });
  if (failure_.instruction != none || !failure_.message.empty())
    return End::failed;
  if (stopped_)
    return End::stopped;
  return machine_.finished() ? End::finished : End::stuck;
}

void RankThreads::execute(std::int32_t rank) {
  Desk &desk = *desks_[static_cast<std::size_t>(rank)];
  Agenda agenda;
  machine_.start(rank, agenda);
  settle(agenda);
  for (;;) {
    const StepIndex step = await(desk);
    if (step == none || !runStep(step))
      return;
  }
}

// The next step of the rank's compute queue; none when the execution is over.
StepIndex RankThreads::await(Desk &desk) {
  if (spin_.count() > 0 && desk.ready.load(std::memory_order_relaxed) == none) {
    const auto until = std::chrono::steady_clock::now() + spin_;
    while (desk.ready.load(std::memory_order_relaxed) == none && !over_.load(std::memory_order_relaxed) &&
           std::chrono::steady_clock::now() < until) {
    }
  }
  std::unique_lock lock(desk.mutex);
  if (desk.ready == none) {
    desk.asleep = true;
    // Whoever makes this rank's next step possible counts it as working before that one rests; so zero means that
    // nobody can.
    lock.unlock();
    rest();
    lock.lock();
    desk.wake.wait(lock, [&] { return !desk.asleep || over_.load(); });
  }
  if (over_)
    return none;
  return desk.ready.exchange(none);
}

void RankThreads::rest() {
  if (working_.fetch_sub(1) != 1)
    return;
  over_ = true;
  wakeAll();
}

void RankThreads::wakeAll() {
  for (const auto &desk : desks_) {
    const std::scoped_lock lock(desk->mutex);
    desk->wake.notify_all();
  }
}

void RankThreads::offer(StepIndex step) {
  Desk &desk = *desks_[static_cast<std::size_t>(plan_.steps[step].rank)];
  const std::scoped_lock lock(desk.mutex);
  desk.ready = step;
  if (!desk.asleep)
    return;
  desk.asleep = false;
  working_.fetch_add(1);
  desk.wake.notify_one();
}

void RankThreads::stop() {
  stopped_ = true;
  over_ = true;
  wakeAll();
}

void RankThreads::fail(InstructionIndex instruction, std::string message) {
  {
    const std::scoped_lock lock(failureMutex_);
    if (failure_.message.empty())
      failure_ = {instruction, std::move(message)};
  }
  over_ = true;
  wakeAll();
}

} // namespace plumbline::runtime
